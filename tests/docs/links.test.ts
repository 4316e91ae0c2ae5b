import { join } from 'node:path';
import { expect, test } from 'vitest';
import { brokenLinks } from '../../scripts/markdown-links.js';
import { documents } from './blocks.js';

const root = join(import.meta.dirname, '../..');

test.each(documents(root))('the links of %s lead somewhere', (file) => {
  expect(brokenLinks(root, file)).toEqual([]);
});
