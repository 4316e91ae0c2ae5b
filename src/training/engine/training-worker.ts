import { Worker } from 'node:worker_threads';
import { createGuard, forgetGuard, turnFor, workerUrl } from '../../bert/runtime/index.js';
import { BertQeError } from '../../common/errors.js';
import type { StepOutcome } from './engine.js';
import type { FromWorker, ToWorker, WorkerSetup } from './messages.js';
import type { MicroBatch, TrainingBatch } from './micro-batch.js';

type Reply = (message: FromWorker | BertQeError) => void;

/** The main thread's side of the training worker: answers come in the order of the questions. */
export class TrainingWorker {
  readonly #worker: Worker;
  readonly #exited: Promise<unknown>;
  readonly #replies: Reply[] = [];
  #dead: BertQeError | undefined;

  private constructor(worker: Worker) {
    this.#worker = worker;
    this.#exited = new Promise((resolve) => worker.once('exit', resolve));
    let reason = '';
    worker.on('error', (error) => (reason = error.message));
    worker.on('message', (message: FromWorker) => this.#replies.shift()?.(message));
    worker.on('exit', (code) => {
      this.#dead = new BertQeError('failure', `The training worker ended: ${reason || `exit code ${code}`}.`);
      for (const reply of this.#replies.splice(0)) reply(this.#dead);
    });
  }

  /** Resolves once the model and the graphs are loaded. */
  static async open(setup: Omit<WorkerSetup, 'guard' | 'turn'>): Promise<TrainingWorker> {
    const guard = createGuard();
    const worker = new Worker(workerUrl('../training/engine/worker.js'), {
      workerData: { ...setup, guard, turn: turnFor(setup.settings.device) } satisfies WorkerSetup,
      execArgv: [],
      name: 'bert-qe training',
    });
    worker.on('exit', () => forgetGuard(guard));
    const self = new TrainingWorker(worker);
    await self.#answer();
    return self;
  }

  async step(number: number, learningRate: number, batches: readonly TrainingBatch[]): Promise<StepOutcome> {
    const answer = await this.#ask({ kind: 'step', number, learningRate, batches });
    return (answer as Extract<FromWorker, { kind: 'stepped' }>).outcome;
  }

  /** Logits of all sequences, batch after batch; for the batches of a step, with what the step will drop. */
  async score(batches: readonly MicroBatch[], step?: number): Promise<Float32Array> {
    const answer = await this.#ask({ kind: 'score', batches, step });
    return (answer as Extract<FromWorker, { kind: 'scored' }>).logits;
  }

  async save(kind: 'saveState' | 'saveModel', file: string): Promise<void> {
    await this.#ask({ kind, file });
  }

  /** Lets what was asked finish, then waits for the end of the thread. */
  async close(): Promise<void> {
    if (!this.#dead) this.#worker.postMessage({ kind: 'close' } satisfies ToWorker, []);
    await this.#exited;
  }

  #ask(message: ToWorker): Promise<FromWorker> {
    if (this.#dead) return Promise.reject(this.#dead);
    this.#worker.postMessage(message, []);
    return this.#answer();
  }

  #answer(): Promise<FromWorker> {
    return new Promise((resolve, reject) => {
      this.#replies.push((message) => {
        if (message instanceof BertQeError) reject(message);
        else if (message.kind === 'failed') reject(new BertQeError(message.code, message.message));
        else resolve(message);
      });
    });
  }
}
