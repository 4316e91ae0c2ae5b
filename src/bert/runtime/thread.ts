import {
  isMainThread,
  MessageChannel,
  type MessagePort,
  parentPort,
  postMessageToThread,
  Worker,
  workerData,
} from 'node:worker_threads';
import { pathToFileURL } from 'node:url';
import { createGuard, forgetGuard, type Guard } from './exit-guard.js';
import { evaluateInMainThread } from './main-thread.js';
import { builtFile } from '../../common/package-files.js';
import { pause } from '../../common/pause.js';

/** A thread as the one that started it sees it. */
export interface Thread {
  post(message: unknown): void;
  ref(): void;
  unref(): void;
  onMessage(listener: (message: unknown) => void): void;
  /** Resolves at the end of the thread, with the reason. */
  readonly exited: Promise<string>;
}

/** The content of a thread's `workerData`. */
interface ThreadData {
  readonly guard: Guard;
  /** Absent in a thread of the main thread that another worker uses: its content comes with a port. */
  readonly data?: unknown;
}

/** The message to a thread of the main thread from the worker that uses it. */
interface GivenData {
  readonly port: MessagePort;
  readonly data: unknown;
}

/**
 * The built file of a worker, given by its path in this folder's parent. Node 20 cannot load TypeScript in a worker, so
 * code that runs from `src` (tests) uses the build too.
 */
export function workerUrl(path: `${string}.js`): URL {
  return pathToFileURL(builtFile(`bert/${path}`));
}

/** Starts a thread of native code. */
export async function startThread(file: URL, name: string, data: unknown): Promise<Thread> {
  return (
    (isMainThread ? undefined : await startInMainThread(file, name, data)) ?? startHere(file, name, data)
  );
}

function startHere(file: URL, name: string, data: unknown): Thread {
  const guard = createGuard();
  const worker = new Worker(file, { workerData: { guard, data } satisfies ThreadData, execArgv: [], name });
  let failure = '';
  worker.on('error', (error) => (failure = error.message));
  const exited = new Promise<string>((resolve) =>
    worker.once('exit', (code) => {
      forgetGuard(guard);
      resolve(failure || `exit code ${code}`);
    }),
  );
  return {
    post: (message) => worker.postMessage(message, []),
    ref: () => worker.ref(),
    unref: () => worker.unref(),
    onMessage: (listener) => void worker.on('message', listener),
    exited,
  };
}

/** Milliseconds in which a thread of the main thread begins to listen. */
const START_MS = 30_000;

/**
 * Starts a thread that belongs to the main thread, whichever worker asks for it. A worker that ends takes its own threads
 * with it, also those inside onnxruntime, which aborts the process; so an application may end its workers at any time.
 * Undefined where the main thread does not answer.
 */
async function startInMainThread(file: URL, name: string, data: unknown): Promise<Thread | undefined> {
  const id = await evaluateInMainThread(inMainThread(file, name));
  if (typeof id !== 'number') return undefined;
  const { port1, port2 } = new MessageChannel();
  // Waiting for the other thread does not keep this one alive.
  const alive = setInterval(() => {}, START_MS);
  const isSent = await sentTo(id, { port: port2, data });
  clearInterval(alive);
  if (!isSent) return undefined;
  return {
    post: (message) => port1.postMessage(message, []),
    ref: () => port1.ref(),
    unref: () => port1.unref(),
    onMessage: (listener) => void port1.on('message', listener),
    exited: new Promise((resolve) => port1.once('close', () => resolve('it died'))),
  };
}

/** Hands a thread its port and data, once it listens; false where it does not. */
async function sentTo(id: number, given: GivenData): Promise<boolean> {
  for (const end = performance.now() + START_MS; ;) {
    try {
      // A port is lost with a message that does not arrive.
      await postMessageToThread(id, undefined);
      await postMessageToThread(id, given, [given.port]);
      return true;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ERR_WORKER_MESSAGING_FAILED' || performance.now() > end) return false;
      await pause(5);
    }
  }
}

/**
 * The program for the main thread: it starts the thread and waits for it at the end of the process, as exit-guard.ts does.
 * It can import nothing. It returns the number of the thread.
 */
function inMainThread(file: URL, name: string): string {
  return `(() => {
    const { Worker } = process.getBuiltinModule('node:worker_threads');
    const guard = new Int32Array(new SharedArrayBuffer(8));
    const worker = new Worker(new URL(${JSON.stringify(file.href)}), {
      workerData: { guard }, execArgv: [], name: ${JSON.stringify(name)},
    });
    const wait = () => {
      Atomics.store(guard, 1, 1);
      Atomics.wait(guard, 0, 1, 60000);
    };
    process.on('exit', wait);
    worker.on('exit', () => process.off('exit', wait));
    worker.on('error', () => {});
    worker.unref();
    return worker.threadId;
  })()`;
}

/** The worker's side: its port and data. */
export async function joinThread(): Promise<GivenData & { readonly guard: Guard }> {
  const { guard, data } = workerData as ThreadData;
  const own = parentPort!;
  if (data !== undefined) return { port: own, guard, data };
  return new Promise((resolve) => {
    // A port with a listener keeps the thread alive.
    own.on('message', () => undefined);
    process.on('workerMessage', (message: unknown) => {
      if (message === undefined) return;
      own.close();
      resolve({ ...(message as GivenData), guard });
    });
  });
}
