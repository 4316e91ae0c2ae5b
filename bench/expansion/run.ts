// npm run bench:expansion -- [--collections NAME,NAME] [--models SST,TTT] [--queries 10]
//
// Exact top-k beside the exhaustive run, how its saving depends on α and β, and `bert-qe rerank` end to end with kill -9
// in between. Writes docs/benchmarks-expansion.md.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { collectionFolder } from '../collections.js';
import type { EndToEnd } from './end-to-end.js';
import { summarise, type TopKMeasurement } from './summary.js';

const { values } = parseArgs({
  options: {
    collections: { type: 'string', default: 'cranfield,scifact' },
    models: { type: 'string', default: 'SST,TTT' },
    queries: { type: 'string', default: '10' },
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
const endToEnd = JSON.parse(step('end-to-end.ts', collections[0], '--models', last)) as EndToEnd;

const { few, many } = endToEnd;
const told = ({ queries, peakMiB, seconds }: EndToEnd['few']): string =>
  `${queries} queries: ${seconds.toFixed(0)} s, peak memory ${peakMiB.toFixed(0)} MiB`;
writeFileSync(
  'docs/benchmarks-expansion.md',
  `# Exact top-k, and re-ranking end to end

Made by \`npm run bench:expansion\` (${new Date().toISOString().slice(0, 10)}, Node ${process.version}, two cores, CPU, the models that come with the package).

## What exact top-k saves

The first 1000 documents of DPH+KL (all, where the collection gives fewer), re-ranked twice per query: with every pair scored, and with
\`topK: 20\`, which scores a pair only while it can still change the first twenty places. Percentages are of the exhaustive run;
"same order" compares the first twenty documents, "score difference" their scores (the scorer's own noise between batches).

${summarise(measurements)}
### How it depends on α and β

Share of the phase-three pairs that are run for the first twenty. The larger α, the more the chunks decide, and the less is known
before they are asked; without the initial score (β = 1) there is one bound less.

${grids.join('\n')}
## \`bert-qe rerank\`, end to end

${endToEnd.collection}, ${endToEnd.models}, from DPH+KL, depth 1000, everything scored.

- ${told(few)}.
- ${told(many)}.
- Killed ${endToEnd.kills} times with -9 and started again: the run is ${endToEnd.sameBytes ? 'the same, byte for byte' : 'NOT the same'}.
`,
);
