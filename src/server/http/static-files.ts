import { readFile, realpath } from 'node:fs/promises';
import { extname, join, resolve, sep } from 'node:path';
import { openFiles } from '../limits.js';

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.csv': 'text/csv; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.md': 'text/markdown; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.tex': 'text/plain; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

/** Reads a file under `folder`; undefined if there is none, or if it is hidden or lies outside. */
export async function fileUnder(
  folder: string,
  path: string,
): Promise<{ readonly bytes: Buffer; readonly type: string } | undefined> {
  if (path.includes('\0') || path.split(/[\\/]/).some((part) => part.startsWith('.'))) return undefined;
  const wanted = resolve(join(folder, path));
  await turns.take();
  try {
    // Links are followed before the place is checked.
    const [root, real] = await Promise.all([realpath(folder), realpath(wanted)]);
    if (!real.startsWith(root + sep)) return undefined;
    return { bytes: await readFile(real), type: types[extname(real)] ?? 'application/octet-stream' };
  } catch {
    return undefined;
  } finally {
    turns.giveBack();
  }
}

/** A semaphore. It limits the files that are read at a time, however many clients ask for them. */
class Turns {
  readonly #waiting: (() => void)[] = [];

  constructor(private free: number) {}

  async take(): Promise<void> {
    if (this.free > 0) this.free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  giveBack(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.free++;
  }
}

const turns = new Turns(openFiles);
