// A worker that speaks the pool's language without a model. The first token of a task, of a shared one that of each
// batch it takes, says what to do: 1 answer, 2 die, 3 die unless another worker did before, 4 report a failure,
// 5 answer after a while.
import { parentPort, workerData } from 'node:worker_threads';

const { deaths, refuse } = workerData.model;

function die() {
  Atomics.add(deaths, 0, 1);
  process.nextTick(() => {
    throw new Error('this worker was told to die');
  });
}

async function handle({ kind, task }) {
  if (kind === 'close') return parentPort.close();
  const logits = new Float32Array(task.splits.length).fill(Number.NaN);
  const take = () => (task.next ? Atomics.add(task.next, 0, 1) : batches.length);
  const batches = [...task.ids];
  for (let batch = task.next ? take() : 0; batch < batches.length; batch = take()) {
    const order = batches[batch];
    if (order === 2 || (order === 3 && Atomics.load(deaths, 0) === 0)) return die();
    if (order === 4) return parentPort.postMessage({ kind: 'failed', message: 'out of luck' }, []);
    if (order === 5) await new Promise((resolve) => setTimeout(resolve, 30));
    if (task.next) logits[batch] = task.splits[batch];
    else logits.set(task.splits);
  }
  return parentPort.postMessage({ kind: 'done', logits }, []);
}

let last = Promise.resolve();
parentPort.on('message', (message) => (last = last.then(() => handle(message))));
if (refuse) {
  parentPort.postMessage({ kind: 'refused', message: refuse }, []);
  parentPort.close();
} else {
  parentPort.postMessage({ kind: 'ready' }, []);
}
