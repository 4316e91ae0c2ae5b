import { concat } from '../common/concat.js';
import { BertQeError, failureError } from '../common/errors.js';
import type { BatchTask, TaskRunner } from '../bert/core.js';
import { RemoteService } from './remote-service.js';
import type { SessionSetup } from './session-service.js';
import type { WebWorker } from './web.js';

/** Batches that a worker holds: the one it runs and the next, so that it never waits. */
const BATCHES_PER_WORKER = 2;

/** A batch to be run. */
interface Job {
  readonly batch: BatchTask;
  readonly owner: object;
  resolve(logits: Float32Array): void;
  reject(error: unknown): void;
}

/** Workers with a session each, and a queue of batches. A worker that is stopped is replaced when there is work. */
export class SessionPool implements TaskRunner {
  /** Each worker with the number of batches it holds. */
  readonly #workers = new Map<RemoteService, number>();
  #queue: Job[] = [];
  #starting: Promise<void> | undefined;

  private constructor(
    private readonly make: () => WebWorker,
    private readonly size: number,
    private readonly setup: SessionSetup,
  ) {}

  static async open(make: () => WebWorker, size: number, setup: SessionSetup): Promise<SessionPool> {
    const pool = new SessionPool(make, size, setup);
    // One first: a model that is refused is refused once, and the others find the runtime in the browser's cache.
    try {
      await pool.#addWorker();
      await Promise.all(Array.from({ length: size - 1 }, () => pool.#addWorker()));
      return pool;
    } catch (error) {
      await pool.close();
      throw error;
    }
  }

  get capacity(): number {
    return this.size * BATCHES_PER_WORKER;
  }

  async run(task: BatchTask, owner: object): Promise<Float32Array> {
    if (this.#workers.size === 0) await this.#restart();
    const answers = await Promise.all(
      batchesOf(task).map(
        (batch) =>
          new Promise<Float32Array>((resolve, reject) => {
            this.#queue.push({ batch, owner, resolve, reject });
            this.#dispatch();
          }),
      ),
    );
    return concat(Float32Array, answers);
  }

  withdraw(owner: object, reason: Error): void {
    const dropped = this.#queue.filter((job) => job.owner === owner);
    this.#queue = this.#queue.filter((job) => job.owner !== owner);
    for (const job of dropped) job.reject(reason);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#workers.keys()].map((worker) => worker.close()));
    this.#workers.clear();
  }

  /** Starts one worker for calls that find none; they wait for the same one. */
  #restart(): Promise<void> {
    this.#starting ??= this.#addWorker().finally(() => (this.#starting = undefined));
    return this.#starting;
  }

  async #addWorker(): Promise<void> {
    const { service } = await RemoteService.open(this.make, this.setup, {
      onEnd: (reason) => {
        this.#workers.delete(service);
        if (this.#workers.size > 0) return;
        for (const job of this.#queue.splice(0)) job.reject(reason);
      },
    });
    this.#workers.set(service, 0);
  }

  #dispatch(): void {
    while (this.#queue.length > 0) {
      const free = [...this.#workers].filter(([, held]) => held < BATCHES_PER_WORKER);
      if (free.length === 0) return;
      const [worker, held] = free.reduce((least, each) => (each[1] < least[1] ? each : least));
      const { batch, resolve, reject } = this.#queue.shift()!;
      this.#workers.set(worker, held + 1);
      worker
        .call<Float32Array>('run', [batch])
        .then(resolve, (error: unknown) => reject(outOfMemory(error)))
        .finally(() => {
          const now = this.#workers.get(worker);
          if (now !== undefined) this.#workers.set(worker, now - 1);
          this.#dispatch();
        });
    }
  }
}

/** The error with a remedy, where onnxruntime's own only says that memory ran out. */
function outOfMemory(error: unknown): unknown {
  if (!(error instanceof BertQeError) || !/bad_alloc|out of memory|allocation failed/i.test(error.message)) {
    return error;
  }
  return failureError(
    'The memory of this page does not hold the batch: load the model with fewer workers or smaller batches (batchTokens).',
    error,
  );
}

/** Each batch of a task as a task of its own. */
function batchesOf(task: BatchTask): BatchTask[] {
  const { ids, splits, ends, shapes } = task;
  if (shapes.length === 1) return [task];
  let row = 0;
  let token = 0;
  return shapes.map((shape) => {
    const rowsFrom = row;
    const tokensFrom = token;
    row += shape.rows;
    token += shape.rows * shape.length;
    return {
      ids: ids.slice(tokensFrom, token),
      splits: splits.slice(rowsFrom, row),
      shapes: [shape],
      ...(ends && { ends: ends.slice(rowsFrom, row) }),
    };
  });
}
