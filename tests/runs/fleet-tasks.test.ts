import { describe, expect, it } from 'vitest';
import { BertQeError } from '../../src/common/errors.js';
import { readTask } from '../../src/runs/fleet.js';

const query = {
  setup: { collection: { index: '/index' }, config: { models: 'TTT' }, inputs: { index: 'a' } },
  query: { id: '1', text: 'a bridge' },
  ranking: [{ id: 'd1', score: 2.5 }],
  explain: false,
};
const pairs = { model: { folder: '/model', sha256: 'b' }, pairs: [{ a: 'a', b: 'b' }] };

/** A task with another value in one place. */
function altered(task: object, path: readonly string[], value: unknown): object {
  const copy = structuredClone(task) as Record<string, unknown>;
  let parent = copy;
  for (const name of path.slice(0, -1)) parent = parent[name] as Record<string, unknown>;
  parent[path.at(-1)!] = value;
  return copy;
}

function pathsOf(value: unknown, path: readonly string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [[...path]];
  const below = Object.entries(value).flatMap(([name, field]) => pathsOf(field, [...path, name]));
  return path.length > 0 ? [[...path], ...below] : below;
}

/** Fields that are checked where they are used. */
const free = new Set(['setup,config,models', 'setup,inputs,index']);

describe('a task of a fleet', () => {
  it('is taken as it was handed in', () => {
    for (const task of [query, { ...query, topK: 5 }, pairs, { ...pairs, secondPieces: 9 }]) {
      expect(readTask(structuredClone(task))).toEqual(task);
    }
  });

  it.each([null, 7, 'a', [], {}, { pairs: null }, { ...pairs, secondPieces: 'a' }, { ...query, topK: 0.5 }])(
    'is refused where it is %j',
    (task) => {
      expect(() => readTask(task)).toThrow(BertQeError);
    },
  );

  it('is refused with a value of another type anywhere', () => {
    for (const task of [query, pairs]) {
      for (const path of pathsOf(task).filter((path) => !free.has(path.join()))) {
        for (const wrong of [null, undefined, Symbol.iterator, {}]) {
          if (wrong !== null && typeof wrong === 'object' && path.at(-1) !== 'explain') continue;
          expect(() => readTask(altered(task, path, wrong)), path.join()).toThrow(BertQeError);
        }
      }
    }
  });
});
