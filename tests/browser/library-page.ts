import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import { browserNames, launch, programOf, type BrowserName } from './support.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.wasm': 'application/wasm',
  '.json': 'application/json',
  '.html': 'text/html',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
};

/** The folders of the package by the paths that pages find them at. */
const packageFolders = {
  '/browser/': join(root, 'dist/browser/'),
  '/models/': join(root, 'models/'),
  '/ort/': join(root, 'node_modules/onnxruntime-web/dist/'),
};

/** Answers a request in another way than with the file; true where it did. */
type Fault = (request: IncomingMessage, response: ServerResponse) => boolean;

/** A static host of folders, by default those of the package. */
export class LibraryServer {
  /** Paths that were asked for. */
  readonly asked: string[] = [];
  fault: Fault | undefined;
  /** Headers that make its pages cross-origin isolated. */
  isolated = false;
  url = '';
  readonly #folders: Record<string, string>;
  readonly #server = createServer((request, response) => void this.#answer(request, response));

  constructor(folders: Readonly<Record<string, string>> = packageFolders) {
    this.#folders = { ...folders };
  }

  /** Serves a further folder below a path. */
  add(path: string, folder: string): void {
    this.#folders[path] = folder;
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    // Browsers give localhost what they else give to pages over HTTPS: storage, workers' locks, hashes.
    this.url = `http://localhost:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = decodeURIComponent(new URL(request.url ?? '/', this.url).pathname);
    const path = this.#folders['/'] && asked.endsWith('/') ? `${asked}index.html` : asked;
    this.asked.push(path);
    response.setHeader('Access-Control-Allow-Origin', '*');
    if (this.isolated) {
      response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
      response.setHeader('Cross-Origin-Embedder-Policy', 'require-corp');
    }
    if (this.fault?.(request, response)) return;
    const folder = Object.keys(this.#folders).find((each) => path.startsWith(each));
    const page = path === '/' && !this.#folders['/'] ? '<!doctype html><title>A page</title>' : undefined;
    const body =
      page ??
      (folder && (await readFile(join(this.#folders[folder], path.slice(folder.length))).catch(() => {})));
    if (body === undefined) response.writeHead(404).end();
    else {
      response.setHeader(
        'Content-Type',
        page ? 'text/html' : (types[extname(path)] ?? 'application/octet-stream'),
      );
      response.setHeader('Content-Length', Buffer.byteLength(body));
      response.end(body);
    }
  }
}

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
  readonly server: LibraryServer;
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
      const server = new LibraryServer();
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
