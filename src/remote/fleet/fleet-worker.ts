import type { Job, Worker } from 'bullmq';
import { BertQeError } from '../../common/errors.js';
import { connectRedis, loadBullmq, type FleetAddress } from './queue.js';

/** What a worker does with a task of type `D`; its results are of type `R`. */
export interface FleetWork<D, R> {
  /**
   * Makes ready for a task, or says why this machine is not the one for it: another model, no such index. The task
   * then goes back to the queue, and this worker leaves the fleet.
   */
  prepare(data: D): Promise<void>;
  perform(data: D, signal: AbortSignal): Promise<R>;
}

/** How a worker takes tasks, and when it leaves. */
export interface FleetWorkerOptions {
  /** Tasks at a time (1). */
  readonly concurrency?: number;
  /** Milliseconds after which the tasks of a worker that is not heard of go to others (30,000). */
  readonly lockMs?: number;
  /** How often a task may be taken over from workers that died before it is set aside (10). */
  readonly takeovers?: number;
  /** Fires when the worker is to leave: what it has begun goes back to the queue. */
  readonly signal?: AbortSignal;
  /** Ends the worker when nothing has been to do for so many milliseconds; without it, it stays. */
  readonly idleMs?: number;
  readonly onFinished?: (key: string, seconds: number) => void;
  readonly onFailed?: (key: string, reason: string) => void;
}

/** Takes tasks from a fleet's queue until it is told to leave. */
export async function workForFleet<D, R>(
  address: FleetAddress,
  work: FleetWork<D, R>,
  options: FleetWorkerOptions = {},
): Promise<void> {
  const { Worker: BullWorker, WaitingError } = await loadBullmq();
  const redis = await connectRedis(address);
  const leaving = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, leaving.signal]) : leaving.signal;
  let unfit: unknown;
  let lastWork = performance.now();
  let busy = 0;

  const process = async (job: Job<D, R>, token?: string): Promise<R> => {
    const started = performance.now();
    busy++;
    try {
      try {
        await work.prepare(job.data);
      } catch (error) {
        unfit ??= error;
        leaving.abort();
        await job.moveToWait(token);
        throw new WaitingError();
      }
      const result = await work.perform(job.data, signal);
      options.onFinished?.(job.name, (performance.now() - started) / 1000);
      return result;
    } catch (error) {
      if (!(error instanceof BertQeError) || error.code !== 'aborted') throw error;
      // Leaving is no failure of the task.
      await job.moveToWait(token);
      throw new WaitingError();
    } finally {
      busy--;
      lastWork = performance.now();
    }
  };

  const lockMs = options.lockMs ?? 30_000;
  const worker: Worker<D, R> = new BullWorker<D, R>(address.queue, process as never, {
    connection: redis.connection,
    concurrency: options.concurrency ?? 1,
    lockDuration: lockMs,
    stalledInterval: lockMs / 2,
    maxStalledCount: options.takeovers ?? 10,
  });
  worker.on('error', () => undefined);
  worker.on('failed', (job, error) => {
    if (job && job.attemptsMade >= (job.opts.attempts ?? 1)) options.onFailed?.(job.name, error.message);
  });
  try {
    await new Promise<void>((resolve) => {
      const { idleMs } = options;
      const clock =
        idleMs === undefined
          ? undefined
          : setInterval(
              () => {
                if (busy === 0 && performance.now() - lastWork > idleMs) finish();
              },
              Math.min(1000, idleMs),
            );
      const finish = (): void => {
        clearInterval(clock);
        signal.removeEventListener('abort', finish);
        resolve();
      };
      signal.addEventListener('abort', finish);
      if (signal.aborted) finish();
    });
  } finally {
    await worker.close();
    await redis.close();
  }
  if (unfit) throw unfit;
}
