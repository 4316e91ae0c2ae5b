// node bench/scoring/laptop/ours.mjs FOLDER MODEL PRECISION: this project, built, as a contender of run.ts.
import { BertScorer } from '../../../dist/index.js';
import { contend } from './contend.mjs';

const [, model, precision] = process.argv.slice(2);
await contend(async () => {
  const scorer = await BertScorer.load({ model, precision, device: 'cpu' });
  return async (pairs) => Array.from(await scorer.scoreLogits(pairs).then(margins));
});

function margins({ values }) {
  return Float32Array.from({ length: values.length / 2 }, (_, i) => values[2 * i + 1] - values[2 * i]);
}
