import type { Job, Queue } from 'bullmq';
import { clip } from '../../common/clip.js';
import { pause } from '../../common/pause.js';
import { failureError, reasonOf, throwIfAborted } from '../../common/errors.js';
import { hashJson } from '../../common/hash.js';
import type { FleetAddress } from './address.js';
import { openQueue, type OpenQueue } from './queue.js';

/** A unit of work for a fleet. */
export interface FleetTask<D> {
  /** Unique among the tasks of its run; messages name the task by it. */
  readonly key: string;
  /** The worker's input, sent as JSON. */
  readonly data: D;
}

/** The options of {@link distribute}. */
export interface DistributeOptions<R> {
  /** A hash that identifies the run: of everything that its results depend on. */
  readonly run: string;
  /** Checks the result of a task, which anybody with access to the queue can write; throws where it is none. */
  readonly read: (result: unknown, key: string) => R;
  /** Bytes of the longest result that is fetched (256 MB). */
  readonly resultBytes?: number;
  /** Tasks queued ahead of the one that is awaited (500). */
  readonly ahead?: number;
  /** Attempts at a task before it counts as failed (3). */
  readonly attempts?: number;
  /** The noun for a key in messages (`Query`). */
  readonly what?: string;
  /** Milliseconds between two looks at the queue (200). */
  readonly pollMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/** The result of a task. */
export interface FleetResult<R> {
  readonly key: string;
  readonly result: R;
}

/**
 * Hands tasks to a fleet and yields their results in the order of the tasks. A result stays on the server until the
 * next one is asked for, that is until the caller has stored it: a caller that was killed gets it again. A task that
 * the server has lost is queued again. Where tasks fail, the others are finished first; then this throws.
 */
export async function* distribute<D, R>(
  address: FleetAddress,
  tasks: AsyncIterable<FleetTask<D>>,
  {
    run,
    read,
    resultBytes = 256 * 1024 * 1024,
    ahead = 500,
    attempts = 3,
    what = 'Query',
    pollMs = 200,
    signal,
  }: DistributeOptions<R>,
): AsyncGenerator<FleetResult<R>> {
  const opened = await openQueue(address);
  const { queue } = opened;
  const source = tasks[Symbol.asyncIterator]();
  const waiting: (FleetTask<D> & { readonly id: string })[] = [];
  const failed: { key: string; reason: string }[] = [];
  let isExhausted = false;
  const add = ({ id, key, data }: (typeof waiting)[number]): Promise<unknown> =>
    queue.add(key, data, { jobId: id, attempts, backoff: { type: 'exponential', delay: 1000, jitter: 0.5 } });
  try {
    for (;;) {
      while (!isExhausted && waiting.length < ahead) {
        throwIfAborted(signal);
        const next = await source.next();
        if (next.done) {
          isExhausted = true;
        } else {
          const task = { ...next.value, id: taskId(run, next.value) };
          await retryIfFailed(queue, task.id);
          await add(task);
          waiting.push(task);
        }
      }
      const first = waiting[0];
      if (!first) break;
      const state = await stateOf(opened, first, resultBytes, read);
      if (state === 'lost') await add(first);
      if (state === 'lost' || state === 'pending') {
        throwIfAborted(signal);
        await pause(pollMs, signal);
        continue;
      }
      waiting.shift();
      if ('reason' in state) {
        failed.push({ key: first.key, reason: state.reason });
        // A wrong result must not be met again.
        if (state.isWrong) await queue.remove(first.id);
      } else {
        yield { key: first.key, result: state.result };
        await state.job.remove();
      }
    }
  } finally {
    await source.return?.();
    await opened.close();
  }
  if (failed.length > 0) {
    const [{ key, reason }] = failed;
    const others = failed.length > 1 ? ` and ${failed.length - 1} others` : '';
    throw failureError(
      `${what} ${key}${others} failed on the fleet (${reason}); the rest is done. ` +
        'Mend the cause and run the command again.',
    );
  }
}

/** An id that is the same for the same work, however often it is handed in: it is queued once. */
function taskId<D>(run: string, { key, data }: FleetTask<D>): string {
  return `${run.slice(0, 20)}-${hashJson(key, data).slice(0, 20)}`;
}

/** Characters of a failure's reason that a message quotes. */
const reasonCharacters = 500;

/** Queues a task again that failed for an earlier caller. */
async function retryIfFailed(queue: Queue, id: string): Promise<void> {
  const job = (await queue.getJob(id)) as Job | undefined;
  if (job && (await job.getState()) === 'failed') await job.retry('failed');
}

type TaskState<R> =
  | 'lost'
  | 'pending'
  | { readonly job: Job; readonly result: R }
  | { readonly reason: string; readonly isWrong: boolean };

async function stateOf<R>(
  { queue, bytesOf }: OpenQueue,
  { id, key }: { readonly id: string; readonly key: string },
  resultBytes: number,
  read: DistributeOptions<R>['read'],
): Promise<TaskState<R>> {
  // The state is asked for first: a job that is read before it is completed has no result yet.
  const state = await queue.getJobState(id);
  if (state === 'unknown') return 'lost';
  if (state !== 'completed' && state !== 'failed') return 'pending';
  const field = state === 'failed' ? 'failedReason' : 'returnvalue';
  const bytes = await bytesOf(id, field);
  if (bytes > resultBytes) {
    const what = state === 'failed' ? 'the reason of its failure' : 'its result';
    return { reason: `${what} has ${bytes} bytes, more than ${resultBytes}`, isWrong: true };
  }
  try {
    const job = (await queue.getJob(id)) as Job | undefined;
    if (!job) return 'lost';
    if (state === 'failed') {
      const reason = clip(job.failedReason ?? 'no reason given', reasonCharacters);
      return { reason: `${job.attemptsMade} attempts: ${reason}`, isWrong: false };
    }
    return { job, result: read(job.returnvalue, key) };
  } catch (error) {
    return { reason: `its result is wrong: ${clip(reasonOf(error), reasonCharacters)}`, isWrong: true };
  }
}
