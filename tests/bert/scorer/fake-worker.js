// A worker that speaks the pool's language without a model. The first token of a task, of a shared one that of each
// batch it takes, says what to do: 1 answer, 2 die, 3 die unless another worker did before, 4 report a failure,
// 5 answer after a while, 6 the same and then, before a word is said, die.
import { parentPort, workerData } from 'node:worker_threads';

const { deaths, refuse } = workerData.model;

function die() {
  Atomics.add(deaths, 0, 1);
  process.nextTick(() => {
    throw new Error('this worker was told to die');
  });
}

// As in share.ts: the next batch, how many workers are at it, and who has left.
const take = ({ counters }) => Atomics.add(counters, 0, 1);
const leave = ({ share: { counters }, taker }) =>
  Atomics.exchange(counters, 2 + taker, 1) === 0 && Atomics.sub(counters, 1, 1) === 1;

async function handle({ kind, id, task }) {
  if (kind === 'close') return parentPort.close();
  const { taking } = task;
  const batches = [...task.ids];
  for (let batch = taking ? take(taking.share) : 0; batch < batches.length;) {
    const order = batches[batch];
    if (order === 2 || (order === 3 && Atomics.load(deaths, 0) === 0)) return die();
    if (order === 4) {
      if (taking) leave(taking);
      return parentPort.postMessage({ kind: 'failed', id, message: 'out of luck' }, []);
    }
    if (order >= 5) await new Promise((resolve) => setTimeout(resolve, 30));
    if (taking) taking.share.logits[batch] = task.splits[batch];
    if (order === 6) return leave(taking) && die();
    batch = taking ? take(taking.share) : batches.length;
  }
  if (!taking)
    return parentPort.postMessage({ kind: 'done', id, logits: Float32Array.from(task.splits) }, []);
  return leave(taking) && parentPort.postMessage({ kind: 'over', id }, []);
}

let last = Promise.resolve();
parentPort.on('message', (message) => (last = last.then(() => handle(message))));
if (refuse) {
  parentPort.postMessage({ kind: 'refused', message: refuse }, []);
  parentPort.close();
} else {
  parentPort.postMessage({ kind: 'ready' }, []);
}
