import { parentPort, Worker, workerData } from 'node:worker_threads';
import { BertQeError, type ErrorCode, reasonOf } from '../../common/errors.js';
import { createGuard, forgetGuard, type Guard, guarded } from './exit-guard.js';
import { type GpuMutex, gpuMutexFor, withGpuMutex } from './gpu-mutex.js';
import type { Device } from './load-session.js';
import { requireRuntime } from './runtime-package.js';
import { silenceRuntime } from './telemetry.js';

/**
 * Worker threads that run onnxruntime, and the protocol between them and the main thread. A worker offers a service:
 * an object whose methods the main thread calls by name. Calls are answered one after the other. A worker is asked
 * to end and never terminated, because terminating a thread inside onnxruntime aborts the whole process.
 */

/** An object in a worker whose methods can be called from the main thread. */
export interface WorkerService {
  /** Frees what the service holds; the worker's last call. */
  release(): Promise<void>;
}

/** The result of a method for which no answer is sent. */
export const NO_ANSWER = Symbol('no answer');

type MethodName<S> = Exclude<keyof S & string, 'release'>;
type Method = (...args: never[]) => Promise<unknown>;
type Arguments<S, M extends keyof S> = S[M] extends Method ? Parameters<S[M]> : never;
type Answer<S, M extends keyof S> = S[M] extends Method ? Awaited<ReturnType<S[M]>> : never;

interface WorkerData {
  readonly setup: unknown;
  readonly guard: Guard;
  readonly mutex: GpuMutex | undefined;
}

type ToWorker =
  | { readonly kind: 'call'; readonly id: number; readonly method: string; readonly args: readonly unknown[] }
  | { readonly kind: 'close' };

type FromWorker =
  | { readonly kind: 'ready' }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: unknown }
  /** Of a call, or of the start where no call is named. */
  | { readonly kind: 'error'; readonly id?: number; readonly code: ErrorCode; readonly message: string };

export interface WorkerOptions {
  readonly file: URL;
  /** Names the worker in messages: `scoring`. */
  readonly name: string;
  readonly device: Device;
  /** Handed to the function that opens the service. */
  readonly setup: unknown;
  /** Called when the worker ends without having been asked to. */
  readonly onExit?: (reason: string) => void;
}

type Reply<T> = (result: T | BertQeError) => void;

/** The main thread's side of a worker. */
export class NativeWorker<S extends WorkerService> {
  readonly #worker: Worker;
  readonly #exited: Promise<unknown>;
  readonly #replies = new Map<number, Reply<never>>();
  #calls = 0;
  #ended: BertQeError | undefined;

  private constructor(worker: Worker) {
    this.#worker = worker;
    this.#exited = new Promise((resolve) => worker.once('exit', resolve));
  }

  /** Resolves once the service is open; rejects with the reason when it cannot be opened. */
  static async start<S extends WorkerService>(options: WorkerOptions): Promise<NativeWorker<S>> {
    const { file, name, device, setup, onExit } = options;
    requireRuntime();
    await silenceRuntime();
    const guard = createGuard();
    const data: WorkerData = { setup, guard, mutex: gpuMutexFor(device) };
    const worker = new Worker(file, { workerData: data, execArgv: [], name: `bert-qe ${name}` });
    const self = new NativeWorker<S>(worker);
    let failure = '';
    worker.on('error', (error) => (failure = error.message));
    worker.on('exit', () => forgetGuard(guard));
    await new Promise<void>((resolve, reject) => {
      const exited = (code: number) =>
        reject(
          new BertQeError('failure', `A ${name} worker could not start: ${failure || `exit code ${code}`}.`),
        );
      worker.once('exit', exited);
      worker.once('message', (message: FromWorker) => {
        worker.off('exit', exited);
        if (message.kind === 'error') reject(new BertQeError(message.code, message.message));
        else resolve();
      });
    });
    worker.on('message', (message: FromWorker) => self.#receive(message));
    worker.on('exit', (code) => {
      const reason = failure || `exit code ${code}`;
      const wasAsked = self.#ended !== undefined;
      self.#ended ??= new BertQeError('failure', `The ${name} worker ended: ${reason}.`);
      if (!wasAsked) onExit?.(reason);
      for (const reply of self.#replies.values()) reply(self.#ended);
    });
    // An idle worker does not keep the process alive, so a forgotten close() does no harm.
    worker.unref();
    return self;
  }

  /** Calls a method of the service. */
  call<M extends MethodName<S>>(method: M, ...args: Arguments<S, M>): Promise<Answer<S, M>> {
    return new Promise((resolve, reject) => {
      this.send(method, args, (result) =>
        result instanceof BertQeError ? reject(result) : resolve(result as Answer<S, M>),
      );
    });
  }

  /** Calls a method whose answer may never come; returns the number of the call for {@link forget}. */
  send<M extends MethodName<S>>(method: M, args: Arguments<S, M>, reply: Reply<Answer<S, M>>): number {
    const id = this.#calls++;
    if (this.#ended) {
      reply(this.#ended);
      return id;
    }
    this.#worker.ref();
    this.#replies.set(id, reply);
    // Arguments are copied, not transferred: should the worker die, they are needed again.
    this.#worker.postMessage({ kind: 'call', id, method, args } satisfies ToWorker, []);
    return id;
  }

  /** Stops waiting for the answer to a call. */
  forget(call: number): void {
    this.#replies.delete(call);
    if (this.#replies.size === 0) this.#worker.unref();
  }

  /** Lets the calls made so far finish, releases the service and waits for the end of the thread. */
  async close(): Promise<void> {
    if (!this.#ended) {
      this.#ended = new BertQeError('usage', 'The worker is closed.');
      this.#worker.ref();
      this.#worker.postMessage({ kind: 'close' } satisfies ToWorker, []);
    }
    await this.#exited;
  }

  #receive(message: FromWorker): void {
    if (message.kind === 'ready' || message.id === undefined) return;
    const reply = this.#replies.get(message.id);
    this.forget(message.id);
    if (message.kind === 'answer') reply?.(message.answer as never);
    else reply?.(new BertQeError(message.code, message.message));
  }
}

/** The worker's side: opens the service and answers calls until it is asked to end. */
export async function serve<Setup, S extends WorkerService>(
  open: (setup: Setup) => Promise<S>,
): Promise<void> {
  const { setup, guard, mutex } = workerData as WorkerData;
  const port = parentPort!;
  const native = <T>(work: () => Promise<T>) => withGpuMutex(mutex, () => guarded(guard, work));
  const post = (message: FromWorker): void => port.postMessage(message, []);
  const postError = (error: unknown, id?: number): void => {
    const code = error instanceof BertQeError ? error.code : 'failure';
    post({ kind: 'error', code, message: reasonOf(error), ...(id === undefined ? {} : { id }) });
  };
  const handle = async (service: S, message: ToWorker): Promise<void> => {
    if (message.kind === 'close') {
      await native(() => service.release());
      // With the port closed nothing keeps the thread alive: it ends by itself, outside native code.
      if (typeof port.close === 'function') port.close();
      // Deno's port has no such method; its workers close themselves.
      else (globalThis as unknown as { close(): void }).close();
      return;
    }
    const { id, method, args } = message;
    try {
      const answer = await native(() =>
        (service as unknown as Record<string, Method>)[method](...(args as never[])),
      );
      if (answer !== NO_ANSWER) post({ kind: 'answer', id, answer });
    } catch (error) {
      postError(error, id);
    }
  };
  try {
    const service = await native(() => open(setup as Setup));
    // Calls may arrive while one is running; each waits for the one before it.
    let last = Promise.resolve();
    port.on('message', (message: ToWorker) => {
      last = last.then(() => handle(service, message));
    });
    post({ kind: 'ready' });
  } catch (error) {
    postError(error);
  }
}
