import type { Queue, QueueOptions } from 'bullmq';
import { failureError } from '../../common/errors.js';
import { optionalPackage } from '../../common/optional-package.js';
import type { FleetAddress } from './address.js';

type Connection = NonNullable<QueueOptions['connection']>;

/** Connects to the server of a fleet. Commands wait while the server is away, and continue when it is back. */
export async function connectRedis({ redis: url }: FleetAddress) {
  const { Redis } = await optionalPackage('ioredis', 'A fleet', () => import('ioredis'));
  const redis = new Redis(url, {
    maxRetriesPerRequest: null,
    retryStrategy: (times) => Math.min(2000, 50 * 2 ** Math.min(times, 6)),
    lazyConnect: true,
  });
  // Without a listener, an error of the connection would end the process.
  redis.on('error', () => undefined);
  try {
    await redis.connect();
  } catch (cause) {
    redis.disconnect();
    const { host } = new URL(url);
    throw failureError(`There is no Redis server at ${host}; start one, or check the URL.`, cause);
  }
  return redis as typeof redis & Connection;
}

export function loadBullmq(): Promise<typeof import('bullmq')> {
  return optionalPackage('bullmq', 'A fleet', () => import('bullmq'));
}

/** A fleet's queue with its connection. */
export interface OpenQueue {
  readonly queue: Queue;
  /** Bytes of a field of a job, which is not fetched for that; 0 where it has none. */
  bytesOf(jobId: string, field: string): Promise<number>;
  close(): Promise<void>;
}

export async function openQueue(address: FleetAddress): Promise<OpenQueue> {
  const { Queue: BullQueue } = await loadBullmq();
  const redis = await connectRedis(address);
  const queue = new BullQueue(address.queue, { connection: redis });
  queue.on('error', () => undefined);
  return {
    queue,
    bytesOf: (jobId, field) => redis.hstrlen(queue.toKey(jobId), field),
    async close() {
      await queue.close();
      redis.disconnect();
    },
  };
}
