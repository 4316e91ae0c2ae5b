import { BertQeError } from '../../errors.js';
import type { BatchTask } from './messages.js';
import { PoolWorker, type WorkerStart } from './pool-worker.js';

/** Tasks a worker holds at once: the one it runs and the next, so that it never waits for the main thread. */
const TASKS_PER_WORKER = 2;

/** A batch is given to a second worker when the first one died under it, not to a third. */
const ATTEMPTS = 2;

interface Job {
  task: BatchTask;
  readonly owner: object;
  readonly resolve: (logits: Float32Array) => void;
  readonly reject: (error: Error) => void;
  attempts: number;
}

/**
 * A fixed number of workers and a queue. Workers are told to end, never terminated: terminating one inside
 * onnxruntime aborts the whole process. A worker that dies is replaced.
 */
export class WorkerPool {
  readonly size: number;
  readonly #start: WorkerStart;
  readonly #workers = new Map<PoolWorker, Job[]>();
  readonly #queue: Job[] = [];
  #starting = 0;
  #closing: Promise<void> | undefined;
  #drained: (() => void) | undefined;

  private constructor(size: number, start: WorkerStart) {
    this.size = size;
    this.#start = start;
  }

  /** Starts all workers; rejects with the reason when the model cannot be loaded. */
  static async open(size: number, start: WorkerStart): Promise<WorkerPool> {
    const pool = new WorkerPool(size, start);
    // One first: a model that is refused is refused once, and later workers find its files in memory.
    await pool.#add();
    const rest = await Promise.allSettled(Array.from({ length: size - 1 }, () => pool.#add()));
    const failed = rest.find((result) => result.status === 'rejected');
    if (failed) {
      await pool.close();
      throw failed.reason;
    }
    return pool;
  }

  /** How many tasks keep every worker busy; more only wait. */
  get capacity(): number {
    return this.size * TASKS_PER_WORKER;
  }

  /** Runs a task on some worker; `owner` is whom it can be withdrawn for. */
  run(task: BatchTask, owner: object): Promise<Float32Array> {
    if (this.#closing) throw new BertQeError('usage', 'The scorer is closed; load it again.');
    return new Promise((resolve, reject) => {
      this.#queue.push({ task, owner, resolve, reject, attempts: 0 });
      this.#dispatch();
    });
  }

  /** Runs a task on all workers that it has batches for: whoever is done with one takes the next, so all end together. */
  async runShared(task: BatchTask, owner: object): Promise<Float32Array> {
    const takers = Math.min(this.size, task.shapes.length);
    if (takers <= 1) return this.run(task, owner);
    const shared = { ...task, next: new Int32Array(new SharedArrayBuffer(4)) };
    try {
      const parts = await Promise.all(Array.from({ length: takers }, () => this.run(shared, owner)));
      return parts.reduce(merged);
    } catch (error) {
      stop(shared);
      throw error;
    }
  }

  /**
   * Drops the owner's tasks that no worker has yet; their promises reject with `reason`. Of shared ones that workers
   * have, no further batch is begun.
   */
  withdraw(owner: object, reason: Error): void {
    for (const jobs of this.#workers.values()) {
      for (const job of jobs) if (job.owner === owner) stop(job.task);
    }
    for (const job of this.#queue.filter((job) => job.owner === owner)) {
      this.#queue.splice(this.#queue.indexOf(job), 1);
      job.reject(reason);
    }
    this.#settle();
  }

  /** Lets all tasks finish, then ends the workers. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    if (this.#isBusy()) await new Promise<void>((resolve) => (this.#drained = resolve));
    await Promise.all([...this.#workers.keys()].map((worker) => worker.end()));
  }

  async #add(): Promise<void> {
    this.#starting++;
    try {
      const worker = await PoolWorker.start(this.#start, (reason) => this.#buried(worker, reason));
      this.#workers.set(worker, []);
    } finally {
      this.#starting--;
    }
  }

  #dispatch(): void {
    this.#replaceTheDead();
    while (this.#queue.length > 0) {
      const free = [...this.#workers].filter(([, jobs]) => jobs.length < TASKS_PER_WORKER);
      if (free.length === 0) return;
      const [worker, jobs] = free.reduce((least, each) => (each[1].length < least[1].length ? each : least));
      const job = this.#queue.shift()!;
      jobs.push(job);
      worker.send(job.task, (result) => {
        jobs.splice(jobs.indexOf(job), 1);
        if (result instanceof Error) job.reject(result);
        else job.resolve(result);
        this.#dispatch();
        this.#settle();
      });
    }
  }

  #replaceTheDead(): void {
    const needed = Math.min(this.size, this.#queue.length + this.#workers.size);
    while (this.#workers.size + this.#starting < needed) {
      this.#add().then(
        () => this.#dispatch(),
        (error: Error) => {
          if (this.#workers.size + this.#starting > 0) return;
          for (const job of this.#queue.splice(0)) job.reject(error);
          this.#settle();
        },
      );
    }
  }

  /** The first job was running when the worker died; the others had only been sent. */
  #buried(worker: PoolWorker, reason: string): void {
    const jobs = this.#workers.get(worker) ?? [];
    this.#workers.delete(worker);
    const [running, ...sent] = jobs;
    this.#queue.unshift(...sent);
    if (running && ++running.attempts < ATTEMPTS) {
      // Which batches of a shared task died with the worker is not known: all of it, once more.
      const { next: _, ...whole } = running.task;
      running.task = whole;
      this.#queue.unshift(running);
    } else {
      running?.reject(
        new BertQeError(
          'failure',
          `Two scoring workers died on the same batch (${reason}); try smaller batches.`,
        ),
      );
    }
    this.#dispatch();
    this.#settle();
  }

  #isBusy(): boolean {
    return this.#queue.length > 0 || [...this.#workers.values()].some((jobs) => jobs.length > 0);
  }

  #settle(): void {
    if (!this.#isBusy()) this.#drained?.();
  }
}

/** Lets nobody begin another batch of a shared task. */
function stop({ next, shapes }: BatchTask): void {
  if (next) Atomics.store(next, 0, shapes.length);
}

/** What two workers computed of one task. */
function merged(one: Float32Array, other: Float32Array): Float32Array {
  return one.map((logit, i) => (Number.isNaN(logit) ? other[i] : logit));
}
