import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readQrels, readRun } from '../../src/collection/index.js';
import { evaluate, parseMeasure } from '../../src/evaluation/index.js';
import { writeFiles } from './support/files.js';

interface Case {
  trecEval: 9 | 10;
  complete: boolean;
  depth: number | null;
  relevanceLevel: number;
  values: Record<string, Record<string, number>>;
}

interface Fixture {
  collections: { name: string; qrels: string; run: string; cases: Case[] }[];
  duplicate: { qrels: string; run: string; stderr: string };
}

/** The real program's answers, made by scripts/fixtures/evaluation/trec_eval.py. */
const fixture = JSON.parse(
  gunzipSync(readFileSync(new URL('../fixtures/evaluation/trec-eval.json.gz', import.meta.url))).toString(),
) as Fixture;

/** trec_eval's total under `-c` ignores `-l`, unlike its own lines per query: we add up the queries. */
function isKnownDifference(measure: string, query: string, { complete, relevanceLevel }: Case): boolean {
  return measure === 'num_rel' && query === 'all' && complete && relevanceLevel !== 1;
}

describe.each(fixture.collections)('agrees with trec_eval on random runs: $name', ({ qrels, run, cases }) => {
  it.each(cases)(
    'trec_eval $trecEval, complete $complete, depth $depth, relevance level $relevanceLevel',
    async (expected) => {
      const [qrelsPath, runPath] = writeFiles({ qrels, run });
      const measures = Object.keys(expected.values['all']).map(parseMeasure);
      const evaluation = evaluate(await readRun(runPath), await readQrels(qrelsPath), {
        measures,
        complete: expected.complete,
        depth: expected.depth ?? 1000,
        relevanceLevel: expected.relevanceLevel,
        trecEval: expected.trecEval,
      });
      let compared = 0;
      for (const [query, values] of Object.entries(expected.values)) {
        const row = evaluation.queries.indexOf(query);
        for (const measure of measures) {
          const value = values[measure.trecName];
          if (value === undefined || isKnownDifference(measure.trecName, query, expected)) continue;
          const ours =
            query === 'all'
              ? evaluation.summary.get(measure.name)
              : evaluation.perQuery.get(measure.name)?.[row];
          // Only log2 of the two languages may differ, in the last bit.
          expect(Math.abs(ours! - value), `${measure.name} of ${query}: ${ours}, not ${value}`).toBeLessThan(
            1e-14,
          );
          compared++;
        }
      }
      expect(compared).toBeGreaterThan(measures.length * 5);
      // 9.0.8 lists only queries with results, 10.0 all that count.
      const listed = Object.keys(expected.values).filter((query) => query !== 'all');
      const evaluated =
        evaluation.queries.length - (expected.trecEval === 9 ? missing(evaluation, expected) : 0);
      expect(listed).toHaveLength(evaluated);
    },
  );
});

function missing({ missingQueries }: { missingQueries: number }, { complete }: Case): number {
  return complete ? missingQueries : 0;
}

describe('a document ranked twice', () => {
  const { qrels, run, stderr } = fixture.duplicate;

  it('is refused by trec_eval and by us', async () => {
    expect(stderr).toMatch(/duplicate docs a/);
    const [qrelsPath, runPath] = writeFiles({ qrels, run });
    await expect(readRun(runPath)).rejects.toThrow(/run:3: document "a" is listed twice for query "1"/);
    const kept = await readRun(runPath, { duplicates: 'keep' });
    const judged = await readQrels(qrelsPath);
    expect(() => evaluate(kept, judged)).toThrow(/Query 1 of the run ranks document a more than once/);
    // Beyond the depth neither program looks.
    expect(evaluate(kept, judged, { depth: 2, measures: ['AP'] }).summary.get('AP')).toBe(1);
  });
});
