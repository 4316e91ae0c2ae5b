import { BertQeError, type ErrorCode, failureError, reasonOf, usageError } from '../../common/errors.js';
import { guarded } from './exit-guard.js';
import { type GpuMutex, gpuMutexFor, withGpuMutex } from './gpu-mutex.js';
import type { Device } from './load-session.js';
import { requireRuntime } from './runtime-package.js';
import { silenceRuntime } from './telemetry.js';
import { joinThread, startThread, type Thread } from './thread.js';

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

interface WorkerOptions {
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
  readonly #replies = new Map<number, Reply<never>>();
  #calls = 0;
  #ended: BertQeError | undefined;

  private constructor(private readonly thread: Thread) {}

  /** Resolves once the service is open; rejects with the reason when it cannot be opened. */
  static async start<S extends WorkerService>(options: WorkerOptions): Promise<NativeWorker<S>> {
    const { file, name, device, setup, onExit } = options;
    requireRuntime();
    await silenceRuntime();
    const data: WorkerData = { setup, mutex: gpuMutexFor(device) };
    const thread = await startThread(file, `bert-qe ${name}`, data);
    const self = new NativeWorker<S>(thread);
    await new Promise<void>((resolve, reject) => {
      let state: 'starting' | 'running' | 'refused' = 'starting';
      thread.onMessage((message) => {
        const received = message as FromWorker;
        if (state !== 'starting') return self.#receive(received);
        state = received.kind === 'error' ? 'refused' : 'running';
        if (received.kind === 'error') reject(new BertQeError(received.code, received.message));
        else resolve();
      });
      void thread.exited.then((reason) => {
        if (state === 'running') self.#end(name, reason, onExit);
        else reject(failureError(`A ${name} worker could not start: ${reason}.`));
      });
    });
    // An idle worker does not keep the process alive, so a forgotten close() does no harm.
    thread.unref();
    return self;
  }

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
    this.thread.ref();
    this.#replies.set(id, reply);
    // Arguments are copied, not transferred: should the worker die, they are needed again.
    this.thread.post({ kind: 'call', id, method, args } satisfies ToWorker);
    return id;
  }

  /** Stops waiting for the answer to a call. */
  forget(call: number): void {
    this.#replies.delete(call);
    if (this.#replies.size === 0) this.thread.unref();
  }

  /** Lets the calls made so far finish, releases the service and waits for the end of the thread. */
  async close(): Promise<void> {
    if (!this.#ended) {
      this.#ended = usageError('The worker is closed.');
      this.thread.ref();
      this.thread.post({ kind: 'close' } satisfies ToWorker);
    }
    await this.thread.exited;
  }

  #end(name: string, reason: string, onExit: WorkerOptions['onExit']): void {
    const wasAsked = this.#ended !== undefined;
    this.#ended ??= failureError(`The ${name} worker ended: ${reason}.`);
    if (!wasAsked) onExit?.(reason);
    for (const reply of this.#replies.values()) reply(this.#ended);
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
  const { port, guard, data } = await joinThread();
  const { setup, mutex } = data as WorkerData;
  const native = <T>(work: () => Promise<T>) => withGpuMutex(mutex, () => guarded(guard, work));
  const post = (message: FromWorker): void => port.postMessage(message, []);
  const postError = (error: unknown, id?: number): void => {
    const code = error instanceof BertQeError ? error.code : 'failure';
    post({ kind: 'error', code, message: reasonOf(error), ...(id === undefined ? {} : { id }) });
  };
  /** True when no more calls are answered. */
  let isLeft = false;
  const handle = async (service: S, message: ToWorker): Promise<void> => {
    if (isLeft) return;
    if (message.kind === 'close') {
      isLeft = true;
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
    // Where the thread that it works for has ended, nobody asks it to.
    port.once('close', () => {
      if (isLeft) return;
      isLeft = true;
      void last.then(() => native(() => service.release()));
    });
    post({ kind: 'ready' });
  } catch (error) {
    postError(error);
  }
}
