import { chromium } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import { StaticHost } from '../support/static-host.js';
import { browserNames, launch, programOf, type BrowserName } from './support.js';
import { freePort, openDisplay, WebKitPage, webkitMissing } from './webkit.js';

/** The files that a page needs to use the library. */
export const PRELUDE = `
  const { BertQE, BertScorer, MemoryIndex, Searcher, Bm25, DivergenceFeedback, KL } =
    await import('/browser/index.js');
  const places = { modelBase: '/models/', runtime: '/ort/' };
`;

/** Runs code in a page, with the library imported; `args` are its arguments, and what it returns comes back. */
export function inPage<T>(page: LibraryPage, code: string, args: unknown = {}): Promise<T> {
  return page.evaluate<T>(`(async (args) => { ${PRELUDE} ${code} })(${JSON.stringify(args)})`);
}

/** The code of an error that loading or scoring ends with, and its message. */
export function failureOf(
  page: LibraryPage,
  code: string,
  args?: unknown,
): Promise<{ code: string; message: string }> {
  return inPage(
    page,
    `try { ${code} } catch ({ code, message }) { return { code, message }; } return { code: 'none' };`,
    args,
  );
}

/** A page of a fresh visitor. */
export interface LibraryPage {
  evaluate<T>(code: string): Promise<T>;
  reload(): Promise<unknown>;
  /** Brings another tab to the front. */
  hide(): Promise<unknown>;
  /** Leaves the page so many bytes of storage; Chromium only. */
  limitStorage?(bytes: number): Promise<void>;
  close(): Promise<void>;
}

/** A browser with pages of a server of the library. */
export interface LibraryBrowser {
  readonly name: string;
  readonly server: StaticHost;
  /** @param canHide A page whose tab can be hidden. */
  open(canHide?: boolean): Promise<LibraryPage>;
}

/** A browser that opens pages at an address. */
interface Opener {
  open(url: string): Promise<LibraryPage>;
  close(): Promise<void>;
}

async function playwright(name: BrowserName): Promise<Opener> {
  const browser = await launch(name, ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader']);
  return {
    async open(url) {
      const page = await (await browser.newContext()).newPage();
      page.setDefaultTimeout(120_000);
      await page.goto(url);
      const common = {
        evaluate: <T>(code: string) => page.evaluate<T>(code),
        reload: () => page.reload(),
        close: () => page.context().close(),
      };
      if (name === 'firefox') return { ...common, hide: () => page.evaluate("void open('about:blank')") };
      const devTools = await page.context().newCDPSession(page);
      return {
        ...common,
        // Playwright's pages in Chromium are always visible.
        hide: () => Promise.reject(new Error('open the page as one that can be hidden')),
        limitStorage: async (bytes) => {
          const { origin } = new URL(url);
          await devTools.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: bytes });
        },
      };
    },
    close: () => browser.close(),
  };
}

/** A page in a Chromium of its own, of whose default context Playwright lets tabs be hidden. */
async function hideable(url: string): Promise<LibraryPage> {
  const port = await freePort();
  const browser = await launch('chromium', [`--remote-debugging-port=${port}`]);
  const connected = await chromium.connectOverCDP(`http://127.0.0.1:${port}`, { noDefaults: true });
  const [context] = connected.contexts();
  const page = await context.newPage();
  await page.goto(url);
  return {
    evaluate: (code) => page.evaluate(code),
    reload: () => page.reload(),
    hide: () => context.newPage(),
    close: () => browser.close(),
  };
}

async function webkit(): Promise<Opener> {
  const display = await openDisplay();
  return { open: (url) => WebKitPage.open(display.name, url), close: async () => display.close() };
}

const notInstalled = (name: BrowserName): string | undefined =>
  programOf(name) === undefined ? 'it is not installed' : undefined;

const browsers = [
  ...browserNames.map((name) => ({ name, missing: notInstalled(name), start: () => playwright(name) })),
  { name: 'webkit', missing: webkitMissing, start: webkit },
];

/** `describe` once per browser; skipped, with the reason in its name, where one is not installed. */
export function describeInBrowsers(name: string, body: (browser: LibraryBrowser) => void): void {
  for (const { name: browserName, missing, start } of browsers) {
    if (missing !== undefined) {
      describe.skip(`${name}, in ${browserName} (skipped: ${missing})`, () => {});
      continue;
    }
    describe(`${name}, in ${browserName}`, { timeout: 120_000 }, () => {
      const server = new StaticHost();
      let browser: Opener;
      const pages: LibraryPage[] = [];
      beforeAll(async () => {
        await server.start();
        browser = await start();
      });
      afterEach(async () => {
        server.fault = undefined;
        server.isolated = false;
        server.asked.length = 0;
        await Promise.all(pages.splice(0).map((page) => page.close()));
      });
      afterAll(async () => {
        await browser?.close();
        server.stop();
      });
      body({
        name: browserName,
        server,
        open: async (canHide = false) => {
          const isOwn = canHide && browserName === 'chromium';
          const page = await (isOwn ? hideable(server.url) : browser.open(server.url));
          pages.push(page);
          return page;
        },
      });
    });
  }
}
