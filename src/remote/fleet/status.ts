import type { Queue } from 'bullmq';
import type { FleetAddress } from './address.js';
import { openQueue } from './queue.js';

/** The numbers of a fleet's tasks by state, and of its workers. */
export interface FleetStatus {
  readonly waiting: number;
  readonly active: number;
  /** Tasks that wait for their next attempt. */
  readonly delayed: number;
  /** Tasks whose results have not been fetched. */
  readonly completed: number;
  readonly workers: number;
  /** Tasks whose attempts have all failed. */
  readonly failed: readonly { readonly key: string; readonly attempts: number; readonly reason: string }[];
}

/** Failed tasks that are listed. */
const maxListed = 1000;

/** Reads the state of a fleet's queue. */
export async function fleetStatus(address: FleetAddress): Promise<FleetStatus> {
  return withQueue(address, async (queue) => {
    const counts = await queue.getJobCounts('waiting', 'active', 'delayed', 'completed', 'prioritized');
    const failed = await queue.getFailed(0, maxListed - 1);
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

/** Queues all failed tasks again and returns their number. */
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
  const { queue, close } = await openQueue(address);
  try {
    return await action(queue);
  } finally {
    await close();
  }
}
