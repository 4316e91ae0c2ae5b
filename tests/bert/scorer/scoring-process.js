// Started by processes.test.ts: ends, one way or another, while batches are running.
import { BertScorer } from '../../../dist/index.js';

const mode = process.argv[2];
const scorer = await BertScorer.load({ model: 'S', batchTokens: 4096 });
const text =
  'The river rises in the hills and is joined by three streams before it reaches the plain. '.repeat(12);
const pairs = Array.from({ length: 400 }, (_, i) => ({ a: `where does river ${i} rise`, b: text }));

if (mode === 'forget') {
  const scores = await scorer.score(pairs.slice(0, 3));
  process.stdout.write(`${scores.length} scores\n`);
} else {
  const controller = new AbortController();
  const scoring = scorer.score(pairs, { signal: controller.signal });
  await new Promise((resolve) => setTimeout(resolve, 100));
  if (mode === 'exit') {
    process.stdout.write('leaving\n');
    process.exit(7);
  }
  if (mode === 'throw') throw new Error('the caller has a bug');
  controller.abort();
  await scoring.catch((error) => process.stdout.write(`${error.code}\n`));
}
