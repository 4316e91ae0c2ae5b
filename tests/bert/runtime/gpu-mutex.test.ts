import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { gpuMutexFor } from '../../../src/bert/runtime/gpu-mutex.js';

const INSIDE = 0;
const MOST = 1;
const DONE = 2;

/** Locks and unlocks the mutex a hundred times and keeps the most workers it ever saw inside. */
const visitor = `
  const { workerData } = require('node:worker_threads');
  const { setImmediate } = require('node:timers/promises');
  const { counts, module, mutex, tsx } = workerData;
  import(tsx).then(async ({ register }) => {
    register();
    const { withGpuMutex } = await import(module);
    for (let i = 0; i < 100; i++) {
      await withGpuMutex(mutex, async () => {
        const inside = Atomics.add(counts, ${INSIDE}, 1) + 1;
        if (inside > Atomics.load(counts, ${MOST})) Atomics.store(counts, ${MOST}, inside);
        await setImmediate();
        Atomics.sub(counts, ${INSIDE}, 1);
        if (i === 50) throw new Error('half way');
      }).catch(() => {});
      Atomics.add(counts, ${DONE}, 1);
    }
  });
`;

async function visit(mutex: ReturnType<typeof gpuMutexFor>): Promise<Int32Array> {
  const counts = new Int32Array(new SharedArrayBuffer(12));
  const module = new URL('../../../src/bert/runtime/gpu-mutex.ts', import.meta.url).href;
  // A worker of Node 20 reads TypeScript only where it registers its own loader.
  const tsx = import.meta.resolve('tsx/esm/api');
  const workers = Array.from(
    { length: 3 },
    () => new Worker(visitor, { eval: true, workerData: { counts, module, mutex, tsx } }),
  );
  await Promise.all(workers.map((worker) => once(worker, 'exit')));
  return counts;
}

it('lets one worker at a time into WebGPU, also after one that failed', async () => {
  const counts = await visit(gpuMutexFor('webgpu'));
  expect(counts[DONE]).toBe(300);
  expect(counts[MOST]).toBe(1);
});

it('lets workers of other devices in together', async () => {
  expect(gpuMutexFor('cpu')).toBeUndefined();
  const counts = await visit(gpuMutexFor('cpu'));
  expect(counts[DONE]).toBe(300);
});
