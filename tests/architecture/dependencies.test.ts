import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

interface Lock {
  packages: Record<string, { deprecated?: string; resolved?: string }>;
}

test.each(['.', 'tests/frameworks', 'web/site'])('the lock in %s holds no deprecated package', (folder) => {
  const { packages } = JSON.parse(readFileSync(join(root, folder, 'package-lock.json'), 'utf8')) as Lock;
  const deprecated = Object.entries(packages).filter(([, entry]) => entry.deprecated !== undefined);
  expect(deprecated.map(([path]) => path)).toEqual([]);
});

test.each(['.', 'tests/frameworks', 'web/site'])('the lock in %s serves with any registry', (folder) => {
  const { packages } = JSON.parse(readFileSync(join(root, folder, 'package-lock.json'), 'utf8')) as Lock;
  const resolved = Object.entries(packages).filter(([, entry]) => entry.resolved !== undefined);
  expect(
    resolved.map(([path]) => path),
    'run: node scripts/lock.mjs FOLDER',
  ).toEqual([]);
});
