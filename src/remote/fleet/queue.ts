import type { QueueOptions } from 'bullmq';
import { hashText } from '../../common/hash.js';
import { BertQeError } from '../../common/errors.js';
import { optionalPackage } from '../net/index.js';

/** Where a fleet meets: a queue on a Redis or Valkey server. */
export interface FleetAddress {
  /** `redis://[user:password@]host:port/database` */
  readonly redis: string;
  /** Name of the queue; several fleets may share a server. */
  readonly queue: string;
}

/** A piece of work, and what tells it from all others of its run. */
export interface FleetTask<D> {
  readonly key: string;
  readonly data: D;
}

/** `redis://host:6379/0?queue=NAME`; the queue's name is `bert-qe` where it is left out. */
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

/** The connection of one side of a fleet: commands wait while the server is away, and go on when it is back. */
export async function connectRedis(address: FleetAddress): Promise<{
  readonly connection: NonNullable<QueueOptions['connection']>;
  close(): Promise<void>;
}> {
  const { Redis } = await optionalPackage('ioredis', 'A fleet', () => import('ioredis'));
  const redis = new Redis(address.redis, {
    maxRetriesPerRequest: null,
    retryStrategy: (times) => Math.min(2000, 50 * 2 ** Math.min(times, 6)),
    lazyConnect: true,
  });
  // Without a listener, a server that is away for a moment would end the process.
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
    connection: redis as unknown as NonNullable<QueueOptions['connection']>,
    async close() {
      redis.disconnect();
    },
  };
}

export function loadBullmq(): Promise<typeof import('bullmq')> {
  return optionalPackage('bullmq', 'A fleet', () => import('bullmq'));
}

/** The same work has the same id, whoever hands it in and however often: it is queued once. */
export function taskId(run: string, key: string): string {
  const digest = hashText(key).slice(0, 20);
  return `${run.slice(0, 20)}-${digest}`;
}
