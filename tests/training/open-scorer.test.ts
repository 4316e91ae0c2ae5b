import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Scorer } from '../../src/bert/index.js';
import { trainModel } from '../../src/training/index.js';
import { temporaryFolder } from '../support/folders.js';
import { toyCollection, toyModel } from './toy-task.js';

test('the models that choose passages and teach are loaded as the caller says, asked, and closed', async () => {
  const folder = temporaryFolder();
  const [model, teacher] = [
    await toyModel(join(folder, 'base'), 'classifier'),
    await toyModel(join(folder, 'teacher'), 'classifier'),
  ];
  const asked = new Map<string, string[]>();
  const closed: string[] = [];
  const openScorer = (path: string): Scorer => ({
    score: async (pairs) => {
      asked.set(path, [...(asked.get(path) ?? []), ...pairs.map(({ b }) => b)]);
      // Of a document's two words the one that names a thing is the better passage.
      return Float32Array.from(pairs, ({ b }) => (b.startsWith('other') ? 0.9 : 0.1));
    },
    close: async () => void closed.push(path),
  });
  const options = { steps: 1, batch: 8, maxLength: 24, passageWords: 1, teacherWeight: 0.5 };
  const call = { out: join(folder, 'trained'), openScorer };
  await trainModel({ model, teacher, ...toyCollection('training', 6), documentsKey: 'toy' }, options, call);
  expect(asked.get(model)!.filter((passage) => passage.startsWith('filler')).length).toBeGreaterThan(6);
  expect(asked.get(teacher)).toHaveLength(6 * 8);
  expect(asked.get(teacher)!.every((passage) => /^other\w+$/.test(passage))).toBe(true);
  expect(closed.sort()).toEqual([model, teacher].sort());
});
