// node --import tsx bench/scoring/ours.ts MODEL PRECISION PASSAGES [BATCH_TOKENS] [WORKERSxTHREADS]
import { BertScorer } from '../../src/bert/scorer/bert-scorer.js';
import type { Precision } from '../../src/bert/compile/index.js';
import { print, timed } from './measurement.js';
import { phaseThree } from './workload.js';

const [model, precision, count, batchTokens, layout] = process.argv.slice(2);
const pairs = await phaseThree(Number(count));
const [workers, threads] = (layout ?? '').split('x').map(Number);
const scorer = await BertScorer.load({
  model,
  precision: precision as Precision,
  device: 'cpu',
  ...(batchTokens ? { batchTokens: Number(batchTokens) } : {}),
  ...(workers ? { workers, threads } : {}),
});
await scorer.score(pairs.slice(0, 500));
const seconds = await timed(() => scorer.score(pairs));
const { info } = scorer;
const batch = `${info.batchTokens} tokens, ${info.workers}×${info.threads} threads`;
print({ system: 'bert-qe', model, precision, batch, pairs: pairs.length, seconds });
await scorer.close();
