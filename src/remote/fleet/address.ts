import { usageError } from '../../common/errors.js';

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
    throw usageError(`"${text}" is not the URL of a Redis server; write redis://HOST:6379.`, cause);
  }
  if (url.protocol !== 'redis:' && url.protocol !== 'rediss:') {
    throw usageError(`${text}: the URL of a fleet starts with redis:// or rediss://.`);
  }
  const queue = url.searchParams.get('queue') ?? 'bert-qe';
  if (!/^[\w.-]+$/.test(queue)) {
    throw usageError(`"${queue}" is no name for a queue; use letters, digits, - and _.`);
  }
  url.search = '';
  return { redis: url.href, queue };
}
