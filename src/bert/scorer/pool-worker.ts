import { Worker } from 'node:worker_threads';
import { BertQeError } from '../../common/errors.js';
import { createGuard, forgetGuard, turnFor } from '../runtime/index.js';
import type { BatchTask, FromWorker, ToWorker, WorkerSetup } from './messages.js';

/** Which file to run in a worker, and what to tell it. */
export interface WorkerStart {
  readonly url: URL;
  readonly setup: Omit<WorkerSetup, 'guard' | 'turn'>;
}

/** Called with the logits, none where they are in what workers share, or with what went wrong. */
type Reply = (result: Float32Array | undefined | BertQeError) => void;

/** The main thread's side of one worker. */
export class PoolWorker {
  readonly #worker: Worker;
  readonly #exited: Promise<unknown>;
  readonly #replies = new Map<number, Reply>();
  #ending = false;

  private constructor(worker: Worker) {
    this.#worker = worker;
    this.#exited = new Promise((resolve) => worker.once('exit', resolve));
  }

  /** Resolves once the model is loaded; `onDeath` is called if the worker ends without being told to. */
  static async start({ url, setup }: WorkerStart, onDeath: (reason: string) => void): Promise<PoolWorker> {
    const guard = createGuard();
    const workerData: WorkerSetup = { ...setup, guard, turn: turnFor(setup.device) };
    const worker = new Worker(url, { workerData, execArgv: [], name: 'bert-qe scorer' });
    const self = new PoolWorker(worker);
    let reason = '';
    worker.on('error', (error) => (reason = error.message));
    worker.on('exit', () => forgetGuard(guard));
    await new Promise<void>((resolve, reject) => {
      const early = (code: number) =>
        reject(
          new BertQeError('failure', `A scoring worker could not start: ${reason || `exit code ${code}`}.`),
        );
      worker.once('exit', early);
      worker.once('message', (message: FromWorker) => {
        worker.off('exit', early);
        if (message.kind === 'refused') reject(new BertQeError('input', message.message));
        else resolve();
      });
    });
    worker.on('message', (message: FromWorker) => self.#receive(message));
    worker.on('exit', (code) => {
      if (!self.#ending) onDeath(reason || `exit code ${code}`);
    });
    // An idle worker does not keep the process alive, so a forgotten close() does no harm.
    worker.unref();
    return self;
  }

  send(id: number, task: BatchTask, reply: Reply): void {
    this.#worker.ref();
    this.#replies.set(id, reply);
    const message: ToWorker = { kind: 'run', id, task };
    // Copied, not transferred: should the worker die, the task is needed again.
    this.#worker.postMessage(message, []);
  }

  /** Asks the worker to release its session and waits for the end of its thread. */
  async end(): Promise<void> {
    this.#ending = true;
    this.#worker.ref();
    this.#worker.postMessage({ kind: 'close' } satisfies ToWorker, []);
    await this.#exited;
  }

  /** No answer is expected any more: another worker has given it. */
  forget(id: number): void {
    this.#replies.delete(id);
    if (this.#replies.size === 0) this.#worker.unref();
  }

  #receive(message: FromWorker): void {
    if (message.kind === 'ready' || message.kind === 'refused') return;
    const reply = this.#replies.get(message.id);
    this.forget(message.id);
    if (message.kind === 'failed') reply?.(new BertQeError('failure', message.message));
    else reply?.(message.kind === 'done' ? message.logits : undefined);
  }
}
