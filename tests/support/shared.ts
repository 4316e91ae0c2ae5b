import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe } from 'vitest';

/** The folder of public data beside the checkout; absent on most machines. */
export const sharedFolder = fileURLToPath(new URL('../../../shared/', import.meta.url));

export const hasShared = existsSync(sharedFolder);

/** `describe` for tests that read `../shared`: skipped, with the reason in the name, where it is absent. */
export function describeWithShared(name: string, body: () => void): void {
  describe.skipIf(!hasShared)(hasShared ? name : `${name} (skipped: ../shared is absent)`, body);
}

export function sharedPath(path: string): string {
  return sharedFolder + path;
}
