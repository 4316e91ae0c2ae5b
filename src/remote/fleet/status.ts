import type { Queue } from 'bullmq';
import { connectRedis, loadBullmq, type FleetAddress } from './queue.js';

/** How a fleet stands: tasks by state, and the workers that are there. */
export interface FleetStatus {
  readonly waiting: number;
  readonly active: number;
  /** Between two tries. */
  readonly delayed: number;
  /** Done, and not yet collected. */
  readonly completed: number;
  readonly workers: number;
  /** Set aside after too many failures: the dead letters. */
  readonly failed: readonly { readonly key: string; readonly attempts: number; readonly reason: string }[];
}

/** Failed tasks that are told of. */
const mostShown = 1000;

/** Looks at the queue of a fleet: what waits, what runs, what was set aside. */
export async function fleetStatus(address: FleetAddress): Promise<FleetStatus> {
  return withQueue(address, async (queue) => {
    const counts = await queue.getJobCounts(
      'waiting',
      'active',
      'delayed',
      'completed',
      'prioritized',
      'failed',
    );
    const failed = await queue.getFailed(0, mostShown - 1);
    return {
      waiting: (counts['waiting'] ?? 0) + (counts['prioritized'] ?? 0),
      active: counts['active'] ?? 0,
      delayed: counts['delayed'] ?? 0,
      completed: counts['completed'] ?? 0,
      workers: await queue.getWorkersCount(),
      failed: failed.map(({ name, attemptsMade, failedReason }) => ({
        key: name,
        attempts: attemptsMade,
        reason: failedReason ?? '',
      })),
    };
  });
}

/** Queues what was set aside once more; returns how many there were. */
export async function retryFailed(address: FleetAddress): Promise<number> {
  return withQueue(address, async (queue) => {
    const failed = await queue.getFailed(0, -1);
    await Promise.all(failed.map((job) => job.retry('failed')));
    return failed.length;
  });
}

/** Removes a fleet's queue with everything in it. */
export async function clearFleet(address: FleetAddress): Promise<void> {
  await withQueue(address, (queue) => queue.obliterate({ force: true }));
}

async function withQueue<T>(address: FleetAddress, action: (queue: Queue) => Promise<T>): Promise<T> {
  const { Queue: BullQueue } = await loadBullmq();
  const redis = await connectRedis(address);
  const queue = new BullQueue(address.queue, { connection: redis.connection });
  queue.on('error', () => undefined);
  try {
    return await action(queue);
  } finally {
    await queue.close();
    await redis.close();
  }
}
