import type { Job, Queue } from 'bullmq';
import { pause } from '../../common/yield.js';
import { BertQeError, throwIfAborted } from '../../common/errors.js';
import { connectRedis, loadBullmq, taskId, type FleetAddress, type FleetTask } from './queue.js';

/** How tasks are handed to a fleet and waited for. */
export interface DistributeOptions {
  /** What tells this run from any other: a digest of everything its results depend on. */
  readonly run: string;
  /** Tasks queued ahead of the one that is waited for (500). */
  readonly ahead?: number;
  /** Tries of a task before it is set aside (3). */
  readonly attempts?: number;
  /** Milliseconds between two looks at the queue (200). */
  readonly pollMs?: number;
  readonly signal?: AbortSignal;
}

/** What a task came to. */
export interface FleetResult<R> {
  readonly key: string;
  readonly result: R;
}

interface Waiting<D> extends FleetTask<D> {
  readonly id: string;
}

/**
 * Hands tasks to a fleet and gives back the results in the order of the tasks. Results stay on the server until the
 * next one is asked for, that is until the caller has put them away; so whoever dies here can come back for them. A
 * task that the server has lost is queued again. Tasks that failed too often are set aside; the others are finished,
 * and then this throws.
 */
export async function* distribute<D, R>(
  address: FleetAddress,
  tasks: AsyncIterable<FleetTask<D>>,
  { run, ahead = 500, attempts = 3, pollMs = 200, signal }: DistributeOptions,
): AsyncGenerator<FleetResult<R>> {
  const { Queue } = await loadBullmq();
  const redis = await connectRedis(address);
  const queue: Queue<D, R> = new Queue(address.queue, { connection: redis.connection });
  queue.on('error', () => undefined);
  const source = tasks[Symbol.asyncIterator]();
  const waiting: Waiting<D>[] = [];
  const dead: { key: string; reason: string }[] = [];
  let isExhausted = false;
  const add = ({ id, key, data }: Waiting<D>): Promise<unknown> =>
    (queue as unknown as Queue).add(key, data, {
      jobId: id,
      attempts,
      backoff: { type: 'exponential', delay: 1000, jitter: 0.5 },
    });
  try {
    for (;;) {
      while (!isExhausted && waiting.length < ahead) {
        throwIfAborted(signal);
        const next = await source.next();
        if (next.done) {
          isExhausted = true;
        } else {
          const task = { ...next.value, id: taskId(run, next.value.key) };
          await revive(queue as unknown as Queue, task.id);
          await add(task);
          waiting.push(task);
        }
      }
      const head = waiting[0];
      if (!head) break;
      const outcome = await look<R>(queue as unknown as Queue, head.id);
      if (outcome === 'lost') await add(head);
      if (outcome === 'lost' || outcome === 'pending') {
        throwIfAborted(signal);
        await pause(pollMs, signal);
        continue;
      }
      waiting.shift();
      if ('reason' in outcome) {
        dead.push({ key: head.key, reason: outcome.reason });
      } else {
        yield { key: head.key, result: outcome.result };
        // The caller has it now.
        await outcome.job.remove();
      }
    }
  } finally {
    await source.return?.();
    await queue.close();
    await redis.close();
  }
  if (dead.length > 0) {
    const [{ key, reason }] = dead;
    const others = dead.length > 1 ? ` and ${dead.length - 1} others` : '';
    throw new BertQeError(
      'failure',
      `Query ${key}${others} failed ${attempts} times on the fleet (${reason}); the rest is done. ` +
        'Mend the cause and run the command again.',
    );
  }
}

/** A task that an earlier attempt set aside is tried again. */
async function revive(queue: Queue, id: string): Promise<void> {
  const job = (await queue.getJob(id)) as Job | undefined;
  if (job && (await job.getState()) === 'failed') await job.retry('failed');
}

type Outcome<R> =
  | 'lost'
  | 'pending'
  | { readonly job: Job; readonly result: R }
  | { readonly job: Job; readonly reason: string };

async function look<R>(queue: Queue, id: string): Promise<Outcome<R>> {
  // The state first: a job read before it was completed has no result yet.
  const state = await queue.getJobState(id);
  if (state === 'unknown') return 'lost';
  if (state !== 'completed' && state !== 'failed') return 'pending';
  const job = (await queue.getJob(id)) as Job | undefined;
  if (!job) return 'lost';
  if (state === 'failed') return { job, reason: job.failedReason ?? 'no reason given' };
  return { job, result: job.returnvalue as R };
}
