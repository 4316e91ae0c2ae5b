import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { exactTopK } from '../../src/expansion/schedule/exact-top-k.js';
import { everything, type Cells, type ScoreTable } from '../../src/expansion/schedule/schedule.js';

/** A row of a table that has nothing to do with documents. */
interface Row {
  readonly truth: readonly number[];
  readonly known: (number | undefined)[];
}

/** The mean of a row's cells. */
function meanTable(truths: readonly (readonly number[])[]): ScoreTable<Row> & { computed: number } {
  const rows = truths.map((truth) => ({ truth, known: truth.map((): number | undefined => undefined) }));
  const columns = truths[0]?.length ?? 1;
  const score = ({ known }: Row, unknown: number): number =>
    known.reduce<number>((sum, cell) => sum + (cell ?? unknown) / columns, 0);
  return {
    rows,
    columns,
    computed: 0,
    cell: ({ known }, column) => known[column],
    isComplete: ({ known }) => !known.includes(undefined),
    score,
    cost: () => 1,
    share: () => 1 / columns,
    excess: (row, floor) => score(row, 1) - floor,
  };
}

const computeIn =
  (table: { computed: number }) =>
  async (cells: readonly Cells<Row>[]): Promise<void> => {
    for (const { row, columns } of cells) {
      for (const column of columns) {
        expect(row.known[column]).toBeUndefined();
        row.known[column] = row.truth[column];
        table.computed++;
      }
    }
  };

const cell = fc.oneof(fc.constantFrom(0, 0.5, 1), fc.double({ min: 0, max: 1, noNaN: true }));
const truths = fc
  .integer({ min: 1, max: 5 })
  .chain((columns) =>
    fc.array(fc.array(cell, { minLength: columns, maxLength: columns }), { minLength: 1, maxLength: 60 }),
  );

describe('a schedule', () => {
  test('of everything computes every cell once', async () => {
    await fc.assert(
      fc.asyncProperty(truths, async (cells) => {
        const table = meanTable(cells);
        expect(await everything.cells(table, computeIn(table))).toBe(true);
        expect(table.computed).toBe(cells.flat().length);
      }),
    );
  });

  test('of exact top-k completes every row that may be among the first k, and computes no cell twice', async () => {
    let saved = 0;
    await fc.assert(
      fc.asyncProperty(truths, fc.integer({ min: 1, max: 8 }), async (cells, k) => {
        const table = meanTable(cells);
        const schedule = exactTopK({ k, roundPairs: 4, scoredPairs: () => table.computed });
        expect(await schedule.cells(table, computeIn(table))).toBe(true);
        const complete = meanTable(cells);
        await everything.cells(complete, computeIn(complete));
        const scores = complete.rows.map((row) => complete.score(row, 0)).sort((a, b) => b - a);
        const kth = scores[Math.min(k, scores.length) - 1];
        table.rows.forEach((row, i) => {
          if (complete.score(complete.rows[i], 0) >= kth) expect(table.isComplete(row)).toBe(true);
        });
        if (table.computed < complete.computed) saved++;
      }),
      { numRuns: 500 },
    );
    expect(saved).toBeGreaterThan(40);
  });

  test('of exact top-k plans few rounds where no model is needed', async () => {
    const table = meanTable(Array.from({ length: 20_000 }, () => [0.5]));
    let rounds = 0;
    const compute = computeIn(table);
    const schedule = exactTopK({ k: 1, roundPairs: 256, scoredPairs: () => Math.min(rounds, 1) });
    await schedule.cells(table, async (cells) => {
      rounds++;
      await compute(cells);
    });
    expect(table.computed).toBe(20_000);
    // 256 + 512 + … reaches 20,000 with the seventh.
    expect(rounds).toBe(7);
  });
});
