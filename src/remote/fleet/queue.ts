import type { Queue, QueueOptions } from 'bullmq';
import { BertQeError } from '../../common/errors.js';
import { optionalPackage } from '../../common/optional-package.js';
import type { FleetAddress } from './address.js';

type Connection = NonNullable<QueueOptions['connection']>;

/** Connects to the server of a fleet. Commands wait while the server is away, and continue when it is back. */
export async function connectRedis(
  address: FleetAddress,
): Promise<{ readonly connection: Connection; close(): Promise<void> }> {
  const { Redis } = await optionalPackage('ioredis', 'A fleet', () => import('ioredis'));
  const redis = new Redis(address.redis, {
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
    const host = new URL(address.redis).host;
    throw new BertQeError('failure', `There is no Redis server at ${host}; start one, or check the URL.`, {
      cause,
    });
  }
  return {
    connection: redis as unknown as Connection,
    async close() {
      redis.disconnect();
    },
  };
}

export function loadBullmq(): Promise<typeof import('bullmq')> {
  return optionalPackage('bullmq', 'A fleet', () => import('bullmq'));
}

/** A fleet's queue, and what closes it with its connection. */
export async function openQueue(
  address: FleetAddress,
): Promise<{ readonly queue: Queue; close(): Promise<void> }> {
  const { Queue: BullQueue } = await loadBullmq();
  const redis = await connectRedis(address);
  const queue = new BullQueue(address.queue, { connection: redis.connection });
  queue.on('error', () => undefined);
  return {
    queue,
    async close() {
      await queue.close();
      await redis.close();
    },
  };
}
