import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { apiReference, type ApiReference } from '../../scripts/api-reference/index.js';

const root = join(import.meta.dirname, '../..');

describe('the API reference', () => {
  let reference: ApiReference;
  beforeAll(async () => {
    reference = await apiReference(root);
  }, 300_000);

  test('every export has a doc comment of at least a sentence', () => {
    expect(reference.problems).toEqual([]);
  });

  test('docs/api is what scripts/api-reference.ts writes', () => {
    const folder = join(root, 'docs/api');
    const committed = Object.fromEntries(
      readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
    );
    expect(committed, 'stale; run: node --import tsx scripts/api-reference.ts').toEqual(
      Object.fromEntries(reference.pages),
    );
  });
});
