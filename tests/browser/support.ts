import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, firefox, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { build } from 'vite';
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { demoCollection, startServer } from '../server/support/server.js';
import { temporaryFolder } from '../support/folders.js';

/** The browsers that tests drive, with the places where they may be. */
const places = {
  chromium: [
    process.env.CHROMIUM,
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  ],
  firefox: [process.env.FIREFOX, '/usr/bin/firefox-esr', '/usr/bin/firefox'],
} as const;

export type BrowserName = keyof typeof places;

export const browserNames = Object.keys(places) as BrowserName[];

/** The program of a browser; undefined where it is not installed. */
export function programOf(name: BrowserName): string | undefined {
  return places[name].find((path) => path !== undefined && existsSync(path));
}

/** Starts a browser; Firefox, which Playwright has not patched, over WebDriver BiDi. */
export function launch(name: BrowserName, args: readonly string[] = []): Promise<Browser> {
  const executablePath = programOf(name)!;
  return name === 'chromium'
    ? chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage', ...args] })
    : firefox.launch({ executablePath, channel: 'moz-firefox' });
}

const executablePath = programOf('chromium');

/** `describe` for tests that drive a browser: skipped, with the reason in the name, where there is none. */
export function describeInBrowser(name: string, body: (browser: BrowserUnderTest) => void): void {
  if (executablePath === undefined) {
    describe.skip(`${name} (skipped: no Chromium found; install it, or name one in CHROMIUM)`, () => {});
    return;
  }
  // Models, a browser and whatever else runs share the processor.
  describe(name, { timeout: 180_000 }, () => body(new BrowserUnderTest()));
}

/** The built page, served with the demo collection, and a browser to open it in. */
export class BrowserUnderTest {
  url = '';
  /** Folder of the built page. */
  page = '';
  #browser!: Browser;
  #pages: Page[] = [];

  constructor() {
    beforeAll(async () => {
      const experiments = temporaryFolder();
      this.page = temporaryFolder();
      await build({
        root: fileURLToPath(new URL('../../web/', import.meta.url)),
        logLevel: 'error',
        build: { outDir: this.page, emptyOutDir: true },
      });
      writeStudy(experiments);
      const served = { ...(await demoCollection()), page: this.page, experiments, depth: 12 };
      this.url = (await startServer(served)).url;
      this.#browser = await launch('chromium');
    }, 180_000);
    afterEach(async () => {
      await Promise.all(this.#pages.splice(0).map((page) => page.context().close()));
    });
    afterAll(async () => this.#browser?.close());
  }

  /** A fresh visitor; whatever the page complains about, or loads from elsewhere, fails the test. */
  async open(path = '/', options: BrowserContextOptions = {}, origin = this.url): Promise<Page> {
    const context = await this.#browser.newContext({
      viewport: { width: 1400, height: 900 },
      reducedMotion: 'reduce',
      ...options,
    });
    const page = await context.newPage();
    this.#pages.push(page);
    page.setDefaultTimeout(60_000);
    page.on('pageerror', (error) => expect.fail(`The page threw: ${error.message}`));
    page.on('request', (request) => {
      if (!/^(data|about):/.test(request.url())) expect(new URL(request.url()).origin).toBe(origin);
    });
    await page.goto(origin + path);
    return page;
  }
}

function writeStudy(folder: string): void {
  mkdirSync(join(folder, 'study'));
  writeFileSync(
    join(folder, 'study', 'report.html'),
    '<!doctype html><html lang="en"><title>A study of bees</title><h1>A study of bees</h1><a href="#end">To the end</a>' +
      '<p style="height:3000px">Long.</p><h2 id="end">The end</h2><script>document.title = "run"</script></html>',
  );
}

/** The labels of a column, best first. */
export function labels(page: Page, stage: 'initial' | 'phase1' | 'final'): Promise<string[]> {
  return page.locator(`.column.${stage} .label`).allTextContents();
}

/** Waits until the search is over and the final ranking is there. */
export async function finished(page: Page): Promise<void> {
  await page.locator('.column.final li button').first().waitFor();
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The serious findings of axe, one line each. */
export async function seriousProblems(page: Page): Promise<string[]> {
  await page.evaluate(axeSource);
  const results = await page.evaluate<AxeResults>('axe.run(document, { resultTypes: ["violations"] })');
  return results.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id} ${target.join(' ')}: ${failureSummary}`),
    );
}

interface AxeResults {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string;
    readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[];
  }[];
}
