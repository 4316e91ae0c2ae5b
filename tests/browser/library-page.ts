import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import { StaticHost } from '../support/static-host.js';
import { browserNames, launch, programOf, type BrowserName } from './support.js';

/** The files that a page needs to use the library. */
export const PRELUDE = `
  const { BertQE, BertScorer, MemoryIndex, Searcher, Bm25, DivergenceFeedback, KL } =
    await import('/browser/index.js');
  const places = { modelBase: '/models/', runtime: '/ort/' };
`;

/** Runs code in a page, with the library imported; `args` are its arguments, and what it returns comes back. */
export function inPage<T>(page: Page, code: string, args: unknown = {}): Promise<T> {
  return page.evaluate<T>(`(async (args) => { ${PRELUDE} ${code} })(${JSON.stringify(args)})`);
}

/** The code of an error that loading or scoring ends with, and its message. */
export function failureOf(
  page: Page,
  code: string,
  args?: unknown,
): Promise<{ code: string; message: string }> {
  return inPage(
    page,
    `try { ${code} } catch ({ code, message }) { return { code, message }; } return { code: 'none' };`,
    args,
  );
}

/** A browser with pages of a server of the library. */
export interface LibraryBrowser {
  readonly name: BrowserName;
  readonly server: StaticHost;
  /** A page of a fresh visitor. */
  open(path?: string): Promise<Page>;
}

/** `describe` once per browser; skipped, with the reason in its name, where one is not installed. */
export function describeInBrowsers(name: string, body: (browser: LibraryBrowser) => void): void {
  for (const browserName of browserNames) {
    if (programOf(browserName) === undefined) {
      describe.skip(`${name}, in ${browserName} (skipped: it is not installed)`, () => {});
      continue;
    }
    describe(`${name}, in ${browserName}`, { timeout: 120_000 }, () => {
      const server = new StaticHost();
      let browser: Browser;
      const pages: Page[] = [];
      beforeAll(async () => {
        await server.start();
        browser = await launch(browserName, ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader']);
      });
      afterEach(async () => {
        server.fault = undefined;
        server.isolated = false;
        server.asked.length = 0;
        await Promise.all(pages.splice(0).map((page) => page.context().close()));
      });
      afterAll(async () => {
        await browser?.close();
        server.stop();
      });
      body({
        name: browserName,
        server,
        open: async (path = '/') => {
          const page = await (await browser.newContext()).newPage();
          pages.push(page);
          page.setDefaultTimeout(120_000);
          await page.goto(server.url + path);
          return page;
        },
      });
    });
  }
}
