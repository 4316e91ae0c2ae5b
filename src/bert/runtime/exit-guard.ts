/**
 * A guard against the end of the process while a worker is inside onnxruntime, which would abort it (SIGABRT, exit code
 * 134). Nothing can interrupt a run, so a process that is about to end waits until each worker has left native code,
 * and workers that find the stop flag set never enter it again.
 */
export type Guard = Int32Array<SharedArrayBuffer>;

const RUNNING = 0;
const STOP = 1;

/** The longest wait: a batch takes milliseconds to seconds. */
const LONGEST_WAIT_MS = 60_000;

const guards = new Set<Guard>();

/** Main thread: a guard for a new worker, to be removed by `forgetGuard` when the worker has ended. */
export function createGuard(): Guard {
  const guard = new Int32Array(new SharedArrayBuffer(8));
  if (guards.size === 0) process.on('exit', waitForWorkers);
  guards.add(guard);
  return guard;
}

export function forgetGuard(guard: Guard): void {
  guards.delete(guard);
  if (guards.size === 0) process.off('exit', waitForWorkers);
}

function waitForWorkers(): void {
  for (const guard of guards) Atomics.store(guard, STOP, 1);
  for (const guard of guards) Atomics.wait(guard, RUNNING, 1, LONGEST_WAIT_MS);
}

/** Worker: runs `work`, which enters native code. When the process is ending it does not run it, and never settles. */
export async function guarded<T>(guard: Guard, work: () => Promise<T>): Promise<T> {
  Atomics.store(guard, RUNNING, 1);
  try {
    // Read after RUNNING is set: either the main thread sees that the worker runs, or the worker sees the stop flag.
    if (Atomics.load(guard, STOP) === 0) return await work();
  } finally {
    Atomics.store(guard, RUNNING, 0);
    Atomics.notify(guard, RUNNING);
  }
  return new Promise<never>(() => {});
}
