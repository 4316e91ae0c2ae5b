import type { Queue, QueueOptions } from 'bullmq';
import { BertQeError } from '../../common/errors.js';
import { optionalPackage } from '../../common/optional-package.js';

/** The queue of a fleet on a Redis or Valkey server. */
export interface FleetAddress {
  /** `redis://[user:password@]host:port/database` */
  readonly redis: string;
  /** Name of the queue; several fleets may share a server. */
  readonly queue: string;
}

/** Reads `redis://host:6379/0?queue=NAME`; the queue's name is `bert-qe` where it is left out. */
export function parseFleetAddress(text: string): FleetAddress {
  let url: URL;
  try {
    url = new URL(text);
  } catch (cause) {
    throw new BertQeError('usage', `"${text}" is not the URL of a Redis server; write redis://HOST:6379.`, {
      cause,
    });
  }
  if (url.protocol !== 'redis:' && url.protocol !== 'rediss:') {
    throw new BertQeError('usage', `${text}: the URL of a fleet starts with redis:// or rediss://.`);
  }
  const queue = url.searchParams.get('queue') ?? 'bert-qe';
  if (!/^[\w.-]+$/.test(queue)) {
    throw new BertQeError('usage', `"${queue}" is no name for a queue; use letters, digits, - and _.`);
  }
  url.search = '';
  return { redis: url.href, queue };
}

type Connection = NonNullable<QueueOptions['connection']>;

interface OpenConnection {
  readonly connection: Connection;
  /** Bytes of a field of a hash, as Redis's command of that name. */
  hstrlen(key: string, field: string): Promise<number>;
  close(): Promise<void>;
}

/** Connects to the server of a fleet. Commands wait while the server is away, and continue when it is back. */
export async function connectRedis(address: FleetAddress): Promise<OpenConnection> {
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
    hstrlen: (key, field) => redis.hstrlen(key, field),
    async close() {
      redis.disconnect();
    },
  };
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
  const queue = new BullQueue(address.queue, { connection: redis.connection });
  queue.on('error', () => undefined);
  return {
    queue,
    bytesOf: (jobId, field) => redis.hstrlen(queue.toKey(jobId), field),
    async close() {
      await queue.close();
      await redis.close();
    },
  };
}

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
    const counts = await queue.getJobCounts(
      'waiting',
      'active',
      'delayed',
      'completed',
      'prioritized',
      'failed',
    );
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
