import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe } from 'vitest';
import { collectionsFolder } from '../../bench/collections.js';

/** Public data beside the checkout; absent on most machines. */
const sharedFolder = resolve(import.meta.dirname, '../../../shared');

const hasShared = existsSync(sharedFolder);

/** The public collections that tests read (docs/collections.md). */
export const collectionNames = [
  'adi',
  'cacm',
  'cisi',
  'cranfield',
  'npl',
  'obliqa',
  'scifact',
  'squad_dev',
] as const;

const collections = collectionsFolder() ?? join(sharedFolder, 'data/collections');

export const hasCollections = collectionNames.every((name) => existsSync(join(collections, name)));

/** A file or folder of a collection: `cranfield/qrels.txt`. */
export function collectionPath(path: string): string {
  return join(collections, path);
}

/** `describe` for tests that read the collections: skipped, with the reason in the name, where they are absent. */
export function describeWithCollections(name: string, body: () => void): void {
  describe.skipIf(!hasCollections)(
    hasCollections ? name : `${name} (skipped: no collections, see docs/collections.md)`,
    body,
  );
}

/** `describe` for tests that read other public data: skipped, with the reason in the name, where it is absent. */
export function describeWithShared(name: string, body: () => void): void {
  describe.skipIf(!hasShared)(hasShared ? name : `${name} (skipped: ${sharedFolder} is absent)`, body);
}

export function sharedPath(path: string): string {
  return join(sharedFolder, path);
}
