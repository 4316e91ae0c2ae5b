// npm run bench:expansion -- [--collections NAME,NAME] [--models SST,TTT] [--queries 1] [--quality-queries 5]
//
// Exact top-k beside the exhaustive run, how its saving depends on α and β, `bert-qe rerank` end to end with kill -9 in
// between, the quality of the default beside the paper's way, and the seconds of a query. Writes sections of
// docs/benchmarks-expansion.md. So few queries take about ten minutes on two cores; the figures of the page are of more.
import { spawnSync } from 'node:child_process';
import { availableParallelism, cpus } from 'node:os';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { collectionFolder } from '../collections.js';
import { writeSections } from '../section.js';
import type { EndToEnd } from './end-to-end.js';
import { summarise, type TopKMeasurement } from './summary.js';

const { values } = parseArgs({
  options: {
    collections: { type: 'string', default: 'cranfield,scifact' },
    models: { type: 'string', default: 'SST,TTT' },
    queries: { type: 'string', default: '1' },
    'quality-queries': { type: 'string', default: '5' },
  },
});
const collections = values.collections.split(',').map(collectionFolder);
const variants = values.models.split(',');

function step(script: string, ...args: string[]): string {
  process.stderr.write(`> ${script} ${args.join(' ')}\n`);
  const { stdout, status } = spawnSync(
    process.execPath,
    ['--import', 'tsx', `bench/expansion/${script}`, ...args],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 1 << 26 },
  );
  if (status !== 0) throw new Error(`${script} failed`);
  return stdout;
}

const measurements: TopKMeasurement[] = [];
for (const models of variants) {
  for (const collection of collections) {
    for (const alphaBeta of [[], ['--alpha', '0.4', '--beta', '0.9']]) {
      const lines = step(
        'top-k.ts',
        collection,
        '--models',
        models,
        '--queries',
        values.queries,
        ...alphaBeta,
      );
      for (const line of lines.trim().split('\n')) measurements.push(JSON.parse(line) as TopKMeasurement);
    }
  }
}
const last = variants.at(-1)!;
const grids = collections.map(
  (collection) =>
    `${basename(collection)}, ${last}:\n\n${step('grid.ts', collection, '--models', last, '--queries', values.queries)}`,
);
const endToEnd = JSON.parse(
  step('end-to-end.ts', collections[0], '--models', last, '--queries', String(2 * Number(values.queries))),
) as EndToEnd;

const { few, many } = endToEnd;
const told = ({ queries, peakMiB, seconds }: EndToEnd['few']): string =>
  `${queries} queries: ${seconds.toFixed(0)} s, peak memory ${peakMiB.toFixed(0)} MiB`;
const text = `## What exact top-k saves

\`npm run bench:expansion\` (${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${cpus()[0].model}, ${availableParallelism()} cores, the models of the package; needs \`BERT_QE_COLLECTIONS\`, [collections.md](collections.md)).
The first 1000 documents of DPH+KL (fewer where the collection gives fewer) are re-ranked twice per query, every passage scored by phase one's model: once with every pair scored, and once with
\`topK: 20\`, which scores a pair only while it can change the first twenty places. Percentages are shares of the exhaustive run.
"Same order" compares the first twenty documents, "score difference" their scores (noise of the scorer between batches).

${summarise(measurements)}
### How it depends on α and β

Share of the phase-three pairs that are scored for the first twenty places. With a larger α the chunks decide more, so less is known
before they are scored. Without the initial score (β = 1) one bound is missing.

${grids.join('\n')}
## \`bert-qe rerank\`, end to end

${endToEnd.collection}, ${endToEnd.models}, DPH+KL, depth 1000, every pair scored.

- ${told(few)}.
- ${told(many)}.
- Killed ${endToEnd.kills} times with -9 and started again: the run is ${endToEnd.sameBytes ? 'the same, byte for byte' : 'NOT the same'}.
`;
writeSections('docs/benchmarks-expansion.md', text.split('\n'));
step('quality.ts', '--models', values.models, '--queries', values['quality-queries']);
step('default.ts', '--models', values.models, '--queries', values.queries);
