import { once } from 'node:events';
import type { Job, Worker } from 'bullmq';
import { BertQeError } from '../../common/errors.js';
import type { FleetAddress } from './address.js';
import { connectRedis, loadBullmq } from './queue.js';

/** The work of a fleet's worker: tasks of type `D`, results of type `R`. */
export interface FleetWork<D, R> {
  /** Checks a task, which anybody with access to the queue can write; throws where it is none: the task fails then. */
  read?(data: unknown): D;
  /**
   * Opens what a task needs. Where that fails on this machine (another model, no such index), the task goes back to
   * the queue and the worker leaves the fleet with the error.
   */
  prepare(data: D): Promise<void>;
  perform(data: D, signal: AbortSignal): Promise<R>;
}

/** The options of a worker. */
export interface FleetWorkerOptions {
  /** Tasks at a time (1). */
  readonly concurrency?: number;
  /** Milliseconds without a sign of life after which a worker's tasks go to others (30,000). */
  readonly lockMs?: number;
  /** Number of times a task may be taken over from workers that died before it counts as failed (10). */
  readonly takeovers?: number;
  /** Ends the worker; the tasks that it has begun go back to the queue. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds without a task after which the worker ends; without it, it waits for ever. */
  readonly idleMs?: number | undefined;
  readonly onFinished?: (key: string, seconds: number) => void;
  readonly onFailed?: (key: string, reason: string) => void;
}

/** Takes tasks from a fleet's queue until the signal fires or the worker has been idle for long enough. */
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

  const process = async (job: Job<unknown, R>, token?: string): Promise<R> => {
    const started = performance.now();
    busy++;
    try {
      const data = work.read ? work.read(job.data) : (job.data as D);
      try {
        await work.prepare(data);
      } catch (error) {
        unfit ??= error;
        leaving.abort();
        await job.moveToWait(token);
        throw new WaitingError();
      }
      const result = await work.perform(data, signal);
      options.onFinished?.(job.name, (performance.now() - started) / 1000);
      return result;
    } catch (error) {
      if (!(error instanceof BertQeError) || error.code !== 'aborted') throw error;
      // An aborted task has not failed.
      await job.moveToWait(token);
      throw new WaitingError();
    } finally {
      busy--;
      lastWork = performance.now();
    }
  };

  const lockMs = options.lockMs ?? 30_000;
  const worker: Worker<D, R> = new BullWorker<D, R>(address.queue, process as never, {
    connection: redis,
    concurrency: options.concurrency ?? 1,
    lockDuration: lockMs,
    stalledInterval: lockMs / 2,
    maxStalledCount: options.takeovers ?? 10,
  });
  worker.on('error', () => undefined);
  worker.on('failed', (job, error) => {
    if (job && job.attemptsMade >= (job.opts.attempts ?? 1)) options.onFailed?.(job.name, error.message);
  });
  const { idleMs = Number.POSITIVE_INFINITY } = options;
  const idle = new AbortController();
  const leaveIfIdle = (): void => {
    if (busy === 0 && performance.now() - lastWork > idleMs) idle.abort();
  };
  const clock = setInterval(leaveIfIdle, Math.min(1000, idleMs));
  const end = AbortSignal.any([signal, idle.signal]);
  try {
    if (!end.aborted) await once(end, 'abort');
  } finally {
    clearInterval(clock);
    await worker.close();
    redis.disconnect();
  }
  if (unfit) throw unfit;
}
