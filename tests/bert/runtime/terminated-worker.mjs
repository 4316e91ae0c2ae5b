// An application that ends its own worker threads while they score: by `terminate`, or with the process.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { BertQE } from '../../../dist/index.js';

const long = Array.from({ length: 300 }, (_, i) => `${i}${' word'.repeat(100)}`);

if (!isMainThread) {
  const bertQe = await BertQE.load({ models: 'T', device: 'cpu' });
  parentPort.postMessage('scoring', []);
  for (;;) await bertQe.rerank('a bridge', long);
}

for (let i = 0; i < 3; i++) {
  const worker = new Worker(new URL(import.meta.url));
  await once(worker, 'message');
  await sleep(150 + 50 * i);
  if (process.argv[2] === 'exit') process.exit(7);
  await worker.terminate();
}
const bertQe = await BertQE.load({ models: 'T', device: 'cpu' });
const { results } = await bertQe.rerank('a bridge', ['wind', 'a bridge']);
await bertQe.close();
console.log(`alive, ${results.length} results`);
