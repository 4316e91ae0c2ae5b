import { readFile, realpath } from 'node:fs/promises';
import { extname, join, resolve, sep } from 'node:path';
import { Limiter } from '../../common/limiter.js';
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
  const read = async () => {
    // Links are followed before the place is checked.
    const [root, real] = await Promise.all([realpath(folder), realpath(wanted)]);
    if (!real.startsWith(root + sep)) return undefined;
    return { bytes: await readFile(real), type: types[extname(real)] ?? 'application/octet-stream' };
  };
  return reading.run(read).catch(() => undefined);
}

/** The files that are read now: few at a time, however many clients ask for them. */
const reading = new Limiter(openFiles);
