// node --import tsx bench/expansion/default.ts [--collection scifact] [--queries 5] [--depths 100,1000] [--models SST,TTT]
//   (after npm run build; a part of npm run bench:expansion)
//
// Seconds of BERT-QE for the first 10 of 100 and of 1,000 documents: by default, and in floats with every passage scored by
// phase one's model. The ways take turns query by query. Writes a section of docs/benchmarks-expansion.md.
import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { BertQE } from '../../src/expansion/index.js';
import { collectionFolder } from '../collections.js';
import { writeSections } from '../section.js';
import { openSetting } from './setting.js';

const { values } = parseArgs({
  options: {
    collection: { type: 'string', default: 'scifact' },
    queries: { type: 'string', default: '5' },
    depths: { type: 'string', default: '100,1000' },
    models: { type: 'string', default: 'SST,TTT' },
  },
});
const WAYS = [
  { name: 'fp32, exhaustive', options: { precision: 'fp32', passageChoice: 'exhaustive' } },
  { name: 'auto, exhaustive', options: { passageChoice: 'exhaustive' } },
  { name: 'default', options: {} },
] as const;

const setting = await openSetting(collectionFolder(values.collection), 0, Number(values.queries) + 1);
const lines: string[] = [];
for (const models of values.models.split(',')) {
  const rerankers = await Promise.all(WAYS.map(({ options }) => BertQE.load({ models, ...options })));
  for (const depth of values.depths.split(',').map(Number)) {
    const seconds: number[][] = WAYS.map(() => []);
    const pairs = WAYS.map(() => 0);
    for (const [i, query] of setting.queries.entries()) {
      const ranking = (await setting.ranking(query)).slice(0, depth);
      const documents = await setting.index.get(ranking.map(({ id }) => id));
      const inputs = ranking.map(({ id, score }) => {
        const { title, text } = documents.get(id)!;
        return { id, score, text, ...(title === undefined ? {} : { title }) };
      });
      for (const [way, reranker] of rerankers.entries()) {
        const { cost } = await reranker.rerank(query.text, inputs, { topK: 10 });
        // The first query warms up.
        if (i === 0) continue;
        seconds[way].push(cost.seconds);
        pairs[way] += cost.pairs;
      }
    }
    const means = seconds.map((each) => each.reduce((sum, value) => sum + value, 0) / each.length);
    const cells = WAYS.map(
      (_, way) => `${means[way].toFixed(2)} s, ${Math.round(pairs[way] / seconds[way].length)} pairs`,
    );
    lines.push(`| ${models} | ${depth} | ${cells.join(' | ')} | ${(means[0] / means.at(-1)!).toFixed(2)} |`);
    process.stderr.write(`${lines.at(-1)}\n`);
  }
  await Promise.all(rerankers.map((reranker) => reranker.close()));
}
await setting.close();
writeSections('docs/benchmarks-expansion.md', [
  '## Seconds of a query',
  '',
  `\`node --import tsx bench/expansion/default.ts --queries ${values.queries}\` (${cpus()[0].model}, ${availableParallelism()} cores). ${values.collection}, DPH+KL, the first 10 places of so many documents, the mean of ` +
    `${setting.queries.length - 1} queries after a first one; the ways take turns query by query.`,
  '',
  `| models | documents | ${WAYS.map(({ name }) => name).join(' | ')} | times as fast |`,
  `|---|---|${'---|'.repeat(WAYS.length + 1)}`,
  ...lines,
]);
