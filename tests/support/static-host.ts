import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

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
export class StaticHost {
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
