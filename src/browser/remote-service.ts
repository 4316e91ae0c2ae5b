import {
  BertQeError,
  type ErrorCode,
  failureError,
  reasonOf,
  throwIfAborted,
  usageError,
} from '../common/errors.js';
import { type MessageEnd, web, type WebWorker, type WorkerScope } from './web.js';

/**
 * Workers of a page, and the protocol between them and those that call them. A worker offers methods that are called by
 * name; a call reports its progress and can be aborted. A worker that needs others has the page make them, and speaks
 * with them through ports: in Firefox, `new Worker` in a worker now and then never returns.
 */

/** A call, seen from the worker. */
export interface ServedCall {
  readonly signal: AbortSignal;
  /** Sends something on the way, for `onReport` of the caller. */
  report(value: unknown): void;
}

/** The methods of a worker. */
interface ServedMethods {
  [name: string]: (call: ServedCall, ...args: never[]) => Promise<unknown>;
}

/** A worker's service once it is open. */
export interface Service {
  /** Facts for the caller. */
  readonly facts: unknown;
  readonly methods: ServedMethods;
  release(): Promise<void>;
}

/** The first call is that of `open`, with the setup and the name of a lock. */
type ToWorker =
  | { readonly kind: 'call'; readonly id: number; readonly method: string; readonly args: readonly unknown[] }
  | { readonly kind: 'abort'; readonly id: number }
  | { readonly kind: 'connect'; readonly port: MessageEnd }
  | { readonly kind: 'close' };

type FromWorker =
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'report'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'error'; readonly id: number; readonly code: ErrorCode; readonly message: string }
  | { readonly kind: 'worker'; readonly port: MessageEnd }
  | { readonly kind: 'closed' };

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
  readonly onReport: ((value: never) => void) | undefined;
}

interface CallOptions<Report> {
  readonly signal?: AbortSignal | undefined;
  readonly onReport?: ((value: Report) => void) | undefined;
  /** Buffers that are handed over instead of being copied. */
  readonly transfer?: readonly ArrayBuffer[];
}

/** A worker's service, seen from its caller. */
export class RemoteService {
  readonly #worker: WebWorker;
  /** Workers that were made for this one. */
  readonly #others: WebWorker[] = [];
  readonly #waiting = new Map<number, Waiting>();
  #calls = 0;
  #ended: BertQeError | undefined;
  #onClosed: (() => void) | undefined;

  private constructor(
    private readonly make: () => WebWorker,
    private readonly onEnd: ((reason: BertQeError) => void) | undefined,
  ) {
    this.#worker = this.#start();
    this.#worker.addEventListener('message', ({ data }) => this.#receive(data as FromWorker));
  }

  /** Opens a worker's service; `onEnd` hears of a worker that ends without having been asked to. */
  static async open<Facts, Report = never>(
    make: () => WebWorker,
    setup: unknown,
    { signal, onReport, onEnd }: CallOptions<Report> & { readonly onEnd?: (reason: BertQeError) => void },
  ): Promise<{ readonly service: RemoteService; readonly facts: Facts }> {
    throwIfAborted(signal);
    const service = new RemoteService(make, onEnd);
    const lock = `bert-qe worker ${crypto.getRandomValues(new Uint32Array(4)).join('-')}`;
    try {
      const facts = await service.call<Facts, Report>('open', [setup, lock], { signal, onReport });
      service.#watchOver(lock);
      return { service, facts };
    } catch (error) {
      service.#terminate();
      throw error;
    }
  }

  /** Calls a method. */
  async call<Answer, Report = never>(
    method: string,
    args: readonly unknown[],
    { signal, onReport, transfer = [] }: CallOptions<Report> = {},
  ): Promise<Answer> {
    throwIfAborted(signal);
    if (this.#ended) throw this.#ended;
    const id = this.#calls++;
    const abort = (): void => this.#worker.postMessage({ kind: 'abort', id } satisfies ToWorker, []);
    signal?.addEventListener('abort', abort, { once: true });
    try {
      return await new Promise<Answer>((resolve, reject) => {
        this.#waiting.set(id, { resolve: resolve as (value: unknown) => void, reject, onReport });
        this.#worker.postMessage({ kind: 'call', id, method, args } satisfies ToWorker, transfer);
      });
    } finally {
      this.#waiting.delete(id);
      signal?.removeEventListener('abort', abort);
    }
  }

  /** Lets the calls made so far finish, then ends the worker. */
  async close(): Promise<void> {
    if (this.#ended) return;
    this.#ended = usageError('The scorer is closed; load it again.');
    await new Promise<void>((resolve) => {
      this.#onClosed = resolve;
      this.#worker.postMessage({ kind: 'close' } satisfies ToWorker, []);
    });
    this.#terminate();
  }

  #start(): WebWorker {
    const worker = this.make();
    worker.addEventListener('error', (event) => {
      event.preventDefault();
      const reason = event.message ?? 'its script could not be loaded';
      this.#end(
        `a worker failed: ${reason}; check that the page's policy (worker-src, script-src) allows its script`,
      );
    });
    return worker;
  }

  #terminate(): void {
    for (const worker of [this.#worker, ...this.#others]) worker.terminate();
  }

  #receive(message: FromWorker): void {
    if (message.kind === 'closed') return this.#onClosed?.();
    if (message.kind === 'worker') {
      const other = this.#start();
      this.#others.push(other);
      return other.postMessage({ kind: 'connect', port: message.port } satisfies ToWorker, [message.port]);
    }
    const waiting = this.#waiting.get(message.id);
    if (message.kind === 'report') waiting?.onReport?.(message.value as never);
    else if (message.kind === 'answer') waiting?.resolve(message.value);
    else waiting?.reject(new BertQeError(message.code, message.message));
  }

  /** A worker holds a lock as long as it lives. No event tells of a worker that the browser ended; its lock does. */
  #watchOver(lock: string): void {
    void web.navigator?.locks
      ?.request(lock, {}, async () => this.#end('the browser stopped a worker, perhaps for lack of memory'))
      .catch(() => {});
  }

  #end(reason: string): void {
    if (this.#ended) return this.#onClosed?.();
    this.#ended = failureError(
      `Scoring cannot go on: ${reason}. Load the model again, with fewer workers or a smaller model.`,
    );
    this.#terminate();
    for (const waiting of this.#waiting.values()) waiting.reject(this.#ended);
    this.onEnd?.(this.#ended);
  }
}

const scope = globalThis as unknown as WorkerScope;

declare const MessageChannel: new () => { readonly port1: MessageEnd; readonly port2: MessageEnd };

/** A worker that the page makes for this one. */
export function requestWorker(): WebWorker {
  const { port1, port2 } = new MessageChannel();
  scope.postMessage({ kind: 'worker', port: port2 } satisfies FromWorker, [port2]);
  port1.start?.();
  return Object.assign(port1, {
    terminate: () => port1.postMessage({ kind: 'close' } satisfies ToWorker, []),
  });
}

/**
 * The worker's side: opens the service when it is told the setup, and answers calls until it is asked to end. The caller
 * is the page, or the worker that the page connects it with.
 */
export function serve(
  open: (setup: never, call: ServedCall) => Promise<Service>,
  caller: MessageEnd = scope,
): void {
  const running = new Map<number, { readonly abort: AbortController; readonly done: Promise<void> }>();
  let service: Service | undefined;
  const opening: ServedMethods = {
    async open(call, setup: never, lock: string) {
      await holdLock(lock);
      service = await open(setup, call);
      return service.facts;
    },
  };
  const post = (message: FromWorker, transfer: readonly ArrayBuffer[] = []): void =>
    caller.postMessage(message, transfer);

  const answer = (id: number, work: (call: ServedCall) => Promise<unknown>): void => {
    const abort = new AbortController();
    const call = { signal: abort.signal, report: (value: unknown) => post({ kind: 'report', id, value }) };
    const done = work(call).then(
      (value) => post({ kind: 'answer', id, value }),
      (error: unknown) => {
        const code = error instanceof BertQeError ? error.code : 'failure';
        post({ kind: 'error', id, code, message: reasonOf(error) });
      },
    );
    running.set(id, { abort, done });
    void done.then(() => running.delete(id));
  };

  caller.addEventListener('message', ({ data }) => {
    const message = data as ToWorker;
    if (message.kind === 'connect') serve(open, message.port);
    else if (message.kind === 'call') {
      const { id, method, args } = message;
      answer(id, (call) => (service?.methods ?? opening)[method](call, ...(args as never[])));
    } else if (message.kind === 'abort') {
      running.get(message.id)?.abort.abort();
    } else {
      void Promise.allSettled([...running.values()].map(({ done }) => done))
        .then(() => service?.release())
        .finally(() => {
          post({ kind: 'closed' });
          scope.close();
        });
    }
  });
  caller.start?.();
}

/** Takes a lock for as long as this worker lives. */
async function holdLock(name: string): Promise<void> {
  const locks = web.navigator?.locks;
  if (!locks) return;
  await new Promise<void>((resolve) => {
    void locks.request(name, {}, () => {
      resolve();
      return new Promise(() => {});
    });
  });
}
