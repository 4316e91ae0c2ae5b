// node --import tsx bench/expansion/grid.ts COLLECTION [--models TTT] [--top-k 20] [--queries 10] [--skip 0]
//   (after npm run build: the models' workers run from dist)
//
// The share of phase-three pairs that exact top-k runs, by α and β. Every pair is scored once and remembered;
// then each α and β is run on the remembered scores. Prints a Markdown table.
import { parseArgs } from 'node:util';
import { BertScorer } from '../../src/bert/index.js';
import { BertQE } from '../../src/expansion/index.js';
import { rerankRun } from '../../src/runs/index.js';
import { Remembering } from './remembering.js';
import { openSetting } from './setting.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    models: { type: 'string', default: 'TTT' },
    'top-k': { type: 'string', default: '20' },
    queries: { type: 'string', default: '10' },
    skip: { type: 'string', default: '0' },
  },
});
const topK = Number(values['top-k']);
const alphas = [0.1, 0.2, 0.4, 0.6, 0.8];
const betas = [1, 0.9, 0.8, 0.7];

const loaded = new Map<string, Remembering>();
for (const model of values.models) {
  if (!loaded.has(model)) loaded.set(model, new Remembering(await BertScorer.load({ model })));
}
const [phaseOne, phaseTwo, phaseThree] = Array.from(values.models, (model) => loaded.get(model)!);
const setting = await openSetting(positionals[0], Number(values.skip), Number(values.queries));
const run = new Map<string, number>();
let all = 0;
try {
  for (const query of setting.queries) {
    const initial = new Map([[query.id, await setting.ranking(query)]]);
    for (const alpha of alphas) {
      for (const beta of betas) {
        const bertQe = new BertQE(
          { phaseOne, phaseTwo, phaseThree },
          { alpha, beta, passageChoice: 'exhaustive' },
        );
        for await (const { cost } of rerankRun(bertQe, [query], initial, setting.index, { topK })) {
          const cell = `${alpha} ${beta}`;
          run.set(cell, (run.get(cell) ?? 0) + cost.phaseThree.pairs);
          if (alpha === alphas[0] && beta === betas[0]) all += cost.phaseThree.exhaustivePairs;
        }
      }
    }
    for (const model of loaded.values()) model.forget();
  }
} finally {
  for (const model of loaded.values()) await model.close();
  await setting.close();
}

const rows = alphas.map((alpha) => {
  const cells = betas.map((beta) => `${((100 * run.get(`${alpha} ${beta}`)!) / all).toFixed(1)} %`);
  return `| α ${alpha} | ${cells.join(' | ')} |`;
});
process.stdout.write(
  `| | ${betas.map((beta) => `β ${beta}`).join(' | ')} |\n|---|---|---|---|---|\n${rows.join('\n')}\n`,
);
