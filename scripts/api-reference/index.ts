import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { emitDeclarations, packageEntries } from './emit.js';
import { readEntries } from './read.js';
import { renderIndex, renderPage } from './render.js';

/** The pages by file name, and what is missing in the sources. */
export interface ApiReference {
  readonly pages: ReadonlyMap<string, string>;
  readonly problems: readonly string[];
}

/** The reference of the package in a folder, from its sources as they are now. */
export async function apiReference(root: string): Promise<ApiReference> {
  const work = mkdtempSync(join(tmpdir(), 'bert-qe-api-'));
  try {
    const entries = packageEntries(root);
    emitDeclarations(root, work);
    const read = readEntries(root, work, entries);
    const pages = new Map([['README.md', renderIndex(read)]]);
    for (const entry of read) pages.set(entry.page, await renderPage(entry, read));
    return { pages, problems: read.flatMap(({ problems }) => problems) };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
