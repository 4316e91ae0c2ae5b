import { BertQeError, failureError, usageError } from '../../common/errors.js';
import { NativeWorker } from '../runtime/index.js';
import type { BatchTask, ScoringService, WorkerSetup } from './messages.js';
import type { TaskRunner } from './pair-scorer.js';
import { createSharedTask, hasFinished, isOver, type SharedTask, stopTask } from './shared-task.js';

/** Tasks a worker holds at once: the one it runs and the next, so that it never waits for the main thread. */
const TASKS_PER_WORKER = 2;

/** A task is given to a second worker when the first one died under it, not to a third. */
const ATTEMPTS = 2;

/** The file that workers run, and what they are given. */
export interface WorkerStart {
  readonly file: URL;
  readonly setup: WorkerSetup;
  /** Cards, among which workers are divided (1). */
  readonly cards?: number;
}

/** A task that was asked for and is not settled. */
interface PendingTask {
  readonly task: BatchTask;
  /** The number of workers that take its batches. */
  readonly workers: number;
  readonly owner: object;
  readonly resolve: (logits: Float32Array) => void;
  readonly reject: (error: Error) => void;
  shared: SharedTask;
  attempts: number;
}

/** One worker's part of a job. */
interface Part {
  readonly job: PendingTask;
  /** The worker's number in the shared task. */
  readonly number: number;
  /** The call that was sent for it. */
  call?: number;
}

/** A fixed number of workers and a queue. A worker that dies is replaced. */
export class WorkerPool implements TaskRunner {
  readonly size: number;
  readonly #start: WorkerStart;
  #labels: number;
  /** Each worker with the parts it holds, the running one first. */
  readonly #workers = new Map<NativeWorker<ScoringService>, Part[]>();
  /** The number of workers of each card. */
  readonly #onCard: number[];
  readonly #jobs = new Set<PendingTask>();
  #queue: Part[] = [];
  #starting = 0;
  #closing: Promise<void> | undefined;
  #onIdle: (() => void) | undefined;

  private constructor(size: number, start: WorkerStart) {
    this.size = size;
    this.#start = start;
    this.#onCard = Array.from({ length: start.cards ?? 1 }, () => 0);
    this.#labels = start.setup.model.labels ?? 1;
  }

  /** Starts all workers; rejects with the reason when the model cannot be loaded. */
  static async open(size: number, start: WorkerStart): Promise<WorkerPool> {
    const pool = new WorkerPool(size, start);
    const isGpu = start.setup.device !== 'cpu';
    // A GPU's workers share it, so that one goes first.
    const first = isGpu ? [await pool.#addWorker()] : [];
    const others = Array.from({ length: size - first.length }, () => pool.#addWorker());
    const started = await Promise.allSettled(others);
    const failed = started.find((result) => result.status === 'rejected');
    if (failed) {
      await pool.close();
      throw failed.reason;
    }
    if (start.setup.model.labels === undefined) {
      const [worker] = pool.#workers.keys();
      pool.#labels = await worker.call('labels');
    }
    return pool;
  }

  /** The model's outputs per sequence. */
  get labels(): number {
    return this.#labels;
  }

  get capacity(): number {
    return this.size * TASKS_PER_WORKER;
  }

  run(task: BatchTask, owner: object, workers = 1): Promise<Float32Array> {
    if (this.#closing) throw usageError('The scorer is closed; load it again.');
    return new Promise((resolve, reject) => {
      const helpers = Math.min(workers, this.size, task.shapes.length);
      const shared = this.#sharedTask(task, helpers);
      const job: PendingTask = { task, workers: helpers, owner, resolve, reject, shared, attempts: 0 };
      this.#jobs.add(job);
      this.#queue.push(...partsOf(job));
      this.#dispatch();
    });
  }

  /** Tasks that are still in the queue reject with `reason`, the others resolve when the running batches end. */
  withdraw(owner: object, reason: Error): void {
    for (const job of [...this.#jobs].filter((job) => job.owner === owner)) {
      if (this.#queue.some((part) => part.job === job)) this.#settle(job, reason);
      else stopTask(job.shared, job.task.shapes.length);
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    if (this.#jobs.size > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
    await Promise.all([...this.#workers.keys()].map((worker) => worker.close()));
  }

  #sharedTask(task: BatchTask, workers: number): SharedTask {
    return createSharedTask(workers, task.splits.length * this.#labels);
  }

  async #addWorker(): Promise<NativeWorker<ScoringService>> {
    this.#starting++;
    const card = this.#onCard.indexOf(Math.min(...this.#onCard));
    this.#onCard[card]++;
    try {
      const { file, setup } = this.#start;
      const worker = await NativeWorker.start<ScoringService>({
        file,
        name: 'scoring',
        device: setup.device,
        setup: { ...setup, card },
        onExit: (reason) => {
          this.#onCard[card]--;
          this.#onWorkerExit(worker, reason);
        },
      });
      this.#workers.set(worker, []);
      return worker;
    } catch (error) {
      this.#onCard[card]--;
      throw error;
    } finally {
      this.#starting--;
    }
  }

  #dispatch(): void {
    this.#replaceDeadWorkers();
    while (this.#queue.length > 0) {
      const free = [...this.#workers].filter(([, parts]) => parts.length < TASKS_PER_WORKER);
      if (free.length === 0) return;
      const [worker, parts] = free.reduce((least, each) => (each[1].length < least[1].length ? each : least));
      const part = this.#queue.shift()!;
      const { job } = part;
      parts.push(part);
      part.call = worker.send('run', [job.task, job.shared, part.number], (answer) =>
        this.#settle(job, answer instanceof BertQeError ? answer : undefined),
      );
    }
  }

  /** Ends a job with its logits, or with an error. */
  #settle(job: PendingTask, error?: Error): void {
    this.#removeParts(job);
    this.#jobs.delete(job);
    if (error) job.reject(error);
    else job.resolve(job.shared.logits);
    this.#dispatch();
    if (this.#jobs.size === 0) this.#onIdle?.();
  }

  /** Takes a job back from the queue and from all workers, which begin no further batch of it. */
  #removeParts(job: PendingTask): void {
    stopTask(job.shared, job.task.shapes.length);
    this.#queue = this.#queue.filter((part) => part.job !== job);
    for (const [worker, parts] of this.#workers) {
      for (const part of parts.filter((part) => part.job === job)) {
        parts.splice(parts.indexOf(part), 1);
        worker.forget(part.call!);
      }
    }
  }

  #replaceDeadWorkers(): void {
    const needed = Math.min(this.size, this.#queue.length + this.#workers.size);
    while (this.#workers.size + this.#starting < needed) {
      this.#addWorker().then(
        () => this.#dispatch(),
        (error: Error) => {
          if (this.#workers.size + this.#starting > 0) return;
          this.#queue = [];
          for (const job of this.#jobs) this.#settle(job, error);
        },
      );
    }
  }

  /** The first part that was not finished was running when the worker died; the others had only been sent. */
  #onWorkerExit(worker: NativeWorker<ScoringService>, reason: string): void {
    const parts = this.#workers.get(worker) ?? [];
    this.#workers.delete(worker);
    for (const { call } of parts) worker.forget(call!);
    const finished = parts.filter(({ job, number }) => hasFinished(job.shared, number));
    const [running, ...sent] = parts.filter((part) => !finished.includes(part));
    // The last worker to finish a task may have died before it could answer.
    for (const { job } of finished) if (isOver(job.shared)) this.#settle(job);
    for (const { job } of sent.toReversed()) this.#restart(job);
    if (running && ++running.job.attempts < ATTEMPTS) this.#restart(running.job);
    else if (running) {
      const message = `Two scoring workers died on the same batch (${reason}); try smaller batches.`;
      this.#settle(running.job, failureError(message));
    }
    this.#dispatch();
  }

  /** Begins a job again, ahead of all others: which of its batches died with a worker is not known. */
  #restart(job: PendingTask): void {
    this.#removeParts(job);
    job.shared = this.#sharedTask(job.task, job.workers);
    this.#queue.unshift(...partsOf(job));
  }
}

function partsOf(job: PendingTask): Part[] {
  return Array.from({ length: job.workers }, (_, number) => ({ job, number }));
}
