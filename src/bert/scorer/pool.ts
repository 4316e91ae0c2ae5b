import { BertQeError } from '../../common/errors.js';
import type { BatchTask } from './messages.js';
import { PoolWorker, type WorkerStart } from './pool-worker.js';
import { createShare, hasLeft, isOver, leaveShare, stopShare } from './share.js';

/** Tasks a worker holds at once: the one it runs and the next, so that it never waits for the main thread. */
const TASKS_PER_WORKER = 2;

/** A batch is given to a second worker when the first one died under it, not to a third. */
const ATTEMPTS = 2;

interface Job {
  readonly id: number;
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
  #ids = 0;
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
      this.#queue.push({ id: this.#ids++, task, owner, resolve, reject, attempts: 0 });
      this.#dispatch();
    });
  }

  /** Runs a task on all workers that it has batches for: whoever is done with one takes the next, so all end together. */
  async runShared(task: BatchTask, owner: object): Promise<Float32Array> {
    const takers = Math.min(this.size, task.shapes.length);
    if (takers <= 1) return this.run(task, owner);
    const share = createShare(takers, task.splits.length * this.#start.setup.model.labels);
    try {
      const parts = await Promise.all(
        Array.from({ length: takers }, (_, taker) => this.run({ ...task, taking: { share, taker } }, owner)),
      );
      return parts.reduce(merged);
    } catch (error) {
      stopShare(share, task.shapes.length);
      throw error;
    }
  }

  /**
   * Drops the owner's tasks that no worker has yet; their promises reject with `reason`. Of shared ones that workers
   * have, no further batch is begun.
   */
  withdraw(owner: object, reason: Error): void {
    for (const jobs of this.#workers.values()) {
      for (const { owner: whose, task } of jobs) {
        if (whose === owner && task.taking) stopShare(task.taking.share, task.shapes.length);
      }
    }
    for (const job of this.#queue.filter((job) => job.owner === owner)) {
      this.#queue.splice(this.#queue.indexOf(job), 1);
      job.reject(reason);
      this.#leave(job);
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
      worker.send(job.id, job.task, (result) => {
        jobs.splice(jobs.indexOf(job), 1);
        if (result instanceof Error) job.reject(result);
        else job.resolve(result ?? job.task.taking!.share.logits);
        this.#answerOthers(job);
        this.#dispatch();
        this.#settle();
      });
    }
  }

  /** Once the last worker has left a shared task, those that left before it, without a word, are done as well. */
  #answerOthers({ task: { taking } }: Job): void {
    if (!taking || !isOver(taking.share)) return;
    const { share } = taking;
    for (const [worker, jobs] of this.#workers) {
      for (const job of jobs.filter(({ task }) => task.taking?.share === share)) {
        jobs.splice(jobs.indexOf(job), 1);
        worker.forget(job.id);
        job.resolve(share.logits);
      }
    }
  }

  /** Of a shared task, this part will not be done by whom it was meant for. */
  #leave(job: Job): void {
    if (job.task.taking && leaveShare(job.task.taking.share, job.task.taking.taker)) this.#answerOthers(job);
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

  /** The first job that was not done was running when the worker died; the others had only been sent. */
  #buried(worker: PoolWorker, reason: string): void {
    const jobs = this.#workers.get(worker) ?? [];
    this.#workers.delete(worker);
    const [running, ...sent] = jobs.filter((job) => !isDone(job));
    for (const job of jobs.filter(isDone)) {
      job.resolve(job.task.taking!.share.logits);
      this.#answerOthers(job);
    }
    this.#queue.unshift(...sent);
    if (running) this.#tryAgain(running, reason);
    this.#dispatch();
    this.#settle();
  }

  #tryAgain(job: Job, reason: string): void {
    this.#leave(job);
    if (++job.attempts < ATTEMPTS) {
      // Which batches of a shared task died with the worker is not known: all of it, once more.
      const { taking: _, ...whole } = job.task;
      job.task = whole;
      this.#queue.unshift(job);
      return;
    }
    job.reject(
      new BertQeError(
        'failure',
        `Two scoring workers died on the same batch (${reason}); try smaller batches.`,
      ),
    );
  }

  #isBusy(): boolean {
    return this.#queue.length > 0 || [...this.#workers.values()].some((jobs) => jobs.length > 0);
  }

  #settle(): void {
    if (!this.#isBusy()) this.#drained?.();
  }
}

/** Whether a worker has done its part of a shared task and left the answer to others. */
function isDone({ task: { taking } }: Job): boolean {
  return taking !== undefined && hasLeft(taking.share, taking.taker);
}

/** What two workers computed of one task: of a shared one the same array, unless one of them had to do it all again. */
function merged(one: Float32Array, other: Float32Array): Float32Array {
  return one === other ? one : one.map((logit, i) => (Number.isNaN(logit) ? other[i] : logit));
}
