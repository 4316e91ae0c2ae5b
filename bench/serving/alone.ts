// The scorer without a server: a child process that is told how many calls to keep going, and for how long.
import { BertScorer } from '../../src/bert/index.js';
import type { Loop, LoopOrder } from './closed-loop.js';
import { closedLoop } from './closed-loop.js';
import { requests } from './workload.js';

const scorer = await BertScorer.load({ model: process.argv[2] });
const work = requests().map(({ query, texts }) => texts.map((b) => ({ a: query, b })));
await scorer.score(work[0]);

process.on('message', (order: LoopOrder | 'end') => {
  if (order === 'end') {
    void scorer.close().then(() => process.disconnect());
    return;
  }
  void closedLoop(order, async (i) => void (await scorer.score(work[i % work.length]))).then((loop: Loop) =>
    process.send!(loop),
  );
});
process.send!('ready');
