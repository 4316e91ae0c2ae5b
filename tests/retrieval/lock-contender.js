// Started by lock.test.ts in several threads at once: each tries to take the lock in every round, and counts who does.
import { workerData } from 'node:worker_threads';
import { lockForWriting } from '../../dist/retrieval/index/lock.js';

const { folders, threads, counters } = workerData;
const [arrived, departed] = [counters.subarray(0, folders.length), counters.subarray(folders.length)];

folders.forEach((folder, round) => {
  // All start together.
  Atomics.add(arrived, round, 1);
  while (Atomics.load(arrived, round) < threads);
  try {
    lockForWriting(folder);
    Atomics.add(departed, round, 1);
  } catch (error) {
    if (error.code !== 'locked') throw error;
  }
});
