import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BatchForm } from '../../../src/bert/graph/index.js';
import { PieceCache } from '../../../src/bert/scorer/piece-cache.js';
import { plan, type PlannedTask } from '../../../src/bert/scorer/plan.js';
import type { PairTemplate, TextPair, Tokenizer } from '../../../src/bert/types.js';

const template: PairTemplate = { before: [2], between: [3], after: [4], secondSegment: 1, pad: 0 };

/** One id per letter; counts how often it is asked. */
class LetterTokenizer implements Tokenizer {
  readonly vocabularySize = 200;
  readonly template = template;
  calls = 0;
  encode(text: string): Int32Array {
    this.calls++;
    return Int32Array.from(text, (letter) => letter.charCodeAt(0));
  }
}

const budget = { first: 5, second: 9 };

async function planned(
  pairs: readonly TextPair[],
  batchTokens: number,
  {
    tokenizer = new LetterTokenizer(),
    batches = 'equal' as BatchForm,
    attentionLimit = Infinity,
    messageLimit = { tokens: batchTokens, tasks: 1 },
    pullLimit = { workers: 1, tokens: Infinity },
  } = {},
): Promise<PlannedTask[]> {
  const pieces = new PieceCache(tokenizer, budget.second);
  const tasks: PlannedTask[] = [];
  for await (const task of plan(pairs, {
    pieces,
    template,
    budget,
    batchTokens,
    attentionLimit,
    batches,
    messageLimit,
    pullLimit,
  })) {
    tasks.push(task);
  }
  return tasks;
}

/** For tasks of so many pairs, of 7 tokens each: true where the task is shared. */
async function kinds(count: number, pullLimit: { workers: number; tokens: number }): Promise<boolean[]> {
  const pairs = Array.from({ length: count }, () => ({ a: 'aa', b: 'bb' }));
  return (await planned(pairs, 14, { pullLimit })).map(({ workers }) => workers > 1);
}

/** The sequences of all tasks, by the pair they belong to. */
function sequences(
  tasks: readonly PlannedTask[],
  isPacked = false,
): Map<number, { ids: number[]; split: number }> {
  const found = new Map<number, { ids: number[]; split: number }>();
  for (const { task, pairs } of tasks) {
    let at = 0;
    let row = 0;
    for (const { rows, length } of task.shapes) {
      for (let i = 0; i < rows; i++, row++) {
        expect(found.has(pairs[row])).toBe(false);
        const end = task.ends?.[row] ?? length;
        found.set(pairs[row], { ids: [...task.ids.subarray(at, at + end)], split: task.splits[row] });
        at += isPacked ? end : length;
      }
    }
    expect(at).toBe(task.ids.length);
    expect(row).toBe(pairs.length);
  }
  return found;
}

const text = fc.string({ unit: fc.constantFrom(...'abcxyz'), maxLength: 14 });

describe('the plan', () => {
  it.each(['equal', 'padded', 'packed'] as const)(
    'holds every pair once, truncated and between its special tokens, in batches within the budget (%s)',
    async (form) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.record({ a: text, b: text }), { maxLength: 60 }),
          fc.integer({ min: 1, max: 80 }),
          fc.integer({ min: 1, max: 3 }),
          async (pairs, batchTokens, full) => {
            const messageLimit = { tokens: full * batchTokens, tasks: 2 };
            const tasks = await planned(pairs, batchTokens, { batches: form, messageLimit });
            const found = sequences(tasks, form === 'packed');
            expect(found.size).toBe(pairs.length);
            pairs.forEach(({ a, b }, i) => {
              const first = Array.from(a.slice(0, budget.first), (c) => c.charCodeAt(0));
              const second = Array.from(b.slice(0, budget.second), (c) => c.charCodeAt(0));
              expect(found.get(i)).toEqual({
                ids: [2, ...first, 3, ...second, 4],
                split: first.length + 2,
              });
            });
            for (const { task } of tasks) {
              for (const { rows, length } of task.shapes) {
                const most = form === 'packed' ? 2 * batchTokens : batchTokens;
                if (rows > 1) expect(rows * length).toBeLessThanOrEqual(most);
              }
              const alone = task.shapes.length === 1 && task.shapes[0].rows === 1;
              if (!alone) expect(task.ids.length).toBeLessThanOrEqual(full * batchTokens);
            }
          },
        ),
      );
    },
  );

  it('makes one task of a short call, for workers to share: every pair once, batches the largest first and none too large', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ a: text, b: text }), { minLength: 1, maxLength: 60 }),
        fc.integer({ min: 20, max: 400 }),
        fc.integer({ min: 2, max: 4 }),
        async (pairs, batchTokens, workers) => {
          const shared = await planned(pairs, batchTokens, { pullLimit: { workers, tokens: Infinity } });
          expect(shared).toHaveLength(1);
          expect(sequences(shared)).toEqual(sequences(await planned(pairs, batchTokens)));
          const [{ task, workers: pulling }] = shared;
          expect(pulling).toBe(workers);
          const sizes = task.shapes.map(({ rows, length }) => rows * length);
          expect(sizes).toEqual([...sizes].sort((a, b) => b - a));
          const most = Math.min(batchTokens, Math.ceil(task.ids.length / (4 * workers)));
          for (const { rows, length } of task.shapes) {
            if (rows > 1) expect(rows * length).toBeLessThanOrEqual(most);
          }
        },
      ),
    );
  });

  it('shares calls of up to so many tokens; longer ones, and those of several windows, are tasks of single workers', async () => {
    expect(await kinds(6, { workers: 2, tokens: 42 })).toEqual([true]);
    expect(await kinds(6, { workers: 2, tokens: 41 })).toEqual([false, false, false]);
    expect(await kinds(6, { workers: 1, tokens: 42 })).toEqual([false, false, false]);
    expect(await kinds(512, { workers: 2, tokens: Infinity })).toEqual([true]);
    expect(new Set(await kinds(513, { workers: 2, tokens: Infinity }))).toEqual(new Set([false]));
  });

  it('pads to the longest of a batch, and no batch is left as small as one length would make it', async () => {
    const pairs = Array.from({ length: 20 }, (_, i) => ({ a: 'a', b: 'b'.repeat(i % 10) }));
    const tasks = await planned(pairs, 52, { batches: 'padded' });
    expect(tasks.map(({ task }) => task.shapes)).toEqual([
      [{ rows: 4, length: 13 }],
      [{ rows: 4, length: 11 }],
      [{ rows: 5, length: 9 }],
      [{ rows: 7, length: 7 }],
    ]);
    for (const { task } of tasks) {
      const [{ rows, length }] = task.shapes;
      expect(task.ids.length).toBe(rows * length);
      expect(Math.max(...task.ends!)).toBe(length);
    }
  });

  it('packs sequences without padding until the tokens of a batch are used up', async () => {
    const pairs = Array.from({ length: 20 }, (_, i) => ({ a: 'a', b: 'b'.repeat(i % 10) }));
    const tasks = await planned(pairs, 52, { batches: 'packed' });
    expect(tasks.map(({ task }) => [...task.ends!])).toEqual([
      [13, 13, 12, 12],
      [11, 11, 10, 10, 9],
      [9, 8, 8, 7, 7, 6, 6],
      [5, 5, 4, 4],
    ]);
    for (const { task } of tasks) {
      expect(task.ids.length).toBe(task.ends!.reduce((sum, length) => sum + length));
      expect(task.shapes).toEqual([{ rows: task.ends!.length, length: task.ends![0] }]);
    }
  });

  it('packs no more short sequences with a long one than padded would be twice the tokens of a batch', async () => {
    const pairs = [{ a: 'aaaaa', b: 'bbbbbbbbb' }, ...Array.from({ length: 12 }, () => ({ a: '', b: '' }))];
    const tasks = await planned(pairs, 60, { batches: 'packed' });
    expect(tasks.map(({ task }) => task.shapes[0].rows)).toEqual([7, 6]);
  });

  it.each([
    [12, Infinity, [4, 2]],
    [12, 3 * 12 ** 2, [3, 3]],
    // Short sequences have room for all.
    [8, 3 * 12 ** 2, [6]],
    // A sequence is a batch of its own however long it is.
    [12, 100, [1, 1, 1, 1, 1, 1]],
  ])(
    'has as many rows of %i tokens in a padded batch as %d attention scores allow',
    async (length, attentionLimit, rows) => {
      const pairs = Array.from({ length: 6 }, () => ({ a: '', b: 'b'.repeat(length - 3) }));
      const tasks = await planned(pairs, 48, { batches: 'padded', attentionLimit });
      expect(tasks.map(({ task }) => task.shapes[0].rows)).toEqual(rows);
    },
  );

  it('batches pairs of one length together, longest first', async () => {
    const pairs = ['aaaa', 'b', 'cccc', 'd', 'eeee'].map((a) => ({ a, b: '' }));
    const [{ task, pairs: order }] = await planned(pairs, 100);
    expect(task.shapes).toEqual([
      { rows: 3, length: 7 },
      { rows: 2, length: 4 },
    ]);
    expect([...order]).toEqual([0, 2, 4, 1, 3]);
  });

  it('sends batches together where enough tasks remain for every worker', async () => {
    const pairs = Array.from({ length: 16 }, () => ({ a: 'a', b: 'b' }));
    const rowsOf = async (tokens: number, tasks: number) =>
      (await planned(pairs, 10, { messageLimit: { tokens, tasks } })).map(({ task }) =>
        task.shapes.map(({ rows }) => rows),
      );
    expect(await rowsOf(20, 4)).toEqual([
      [2, 2],
      [2, 2],
      [2, 2],
      [2, 2],
    ]);
    // Eight are wanted, and there is one batch for each.
    expect(await rowsOf(20, 8)).toEqual(Array.from({ length: 8 }, () => [2]));
    expect(await rowsOf(40, 2)).toEqual([
      [2, 2, 2, 2],
      [2, 2, 2, 2],
    ]);
  });

  it('tokenises a text once, however many pairs it is in', async () => {
    const tokenizer = new LetterTokenizer();
    const texts = Array.from({ length: 100 }, (_, i) => `t${i}`);
    const pairs = texts.flatMap((a) => texts.map((b) => ({ a, b })));
    expect(sequences(await planned(pairs, 1000, { tokenizer })).size).toBe(10_000);
    expect(tokenizer.calls).toBe(100);
  });

  it('names a pair that is none', async () => {
    const pairs = [{ a: 'x', b: 'y' }, { a: 'x' } as TextPair];
    await expect(planned(pairs, 100)).rejects.toThrow('Pair 1 must be {a, b} with two strings.');
  });
});
