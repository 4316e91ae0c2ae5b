import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The folder of public test collections, one sub-folder each: `BERT_QE_COLLECTIONS` (docs/collections.md). */
export function collectionsFolder(): string | undefined {
  const folder = process.env.BERT_QE_COLLECTIONS;
  return folder ? resolve(folder) : undefined;
}

/** The folder of one collection; an error says how to provide it. */
export function collectionFolder(name: string): string {
  const folder = collectionsFolder();
  if (folder === undefined) {
    throw new Error(
      'BERT_QE_COLLECTIONS is not set: it names the folder of the test collections (docs/collections.md).',
    );
  }
  if (existsSync(join(folder, name))) return join(folder, name);
  throw new Error(`${folder} has no collection "${name}" (docs/collections.md).`);
}
