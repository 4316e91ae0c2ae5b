/**
 * A process that ends while a worker is inside onnxruntime is aborted (SIGABRT, exit code 134), and nothing can
 * interrupt a run. So when the process is about to end, for whatever reason, it waits here until each worker has
 * left native code, and workers that find the stop flag set never enter it again.
 */

const RUNNING = 0;
const STOP = 1;

/** A batch takes milliseconds to seconds; past this, something hangs and the abort is the lesser evil. */
const LONGEST_WAIT_MS = 60_000;

export type Guard = Int32Array<SharedArrayBuffer>;

const guards = new Set<Guard>();

/** Main thread: a guard for a new worker; `forgetGuard` when the worker has ended. */
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

/** Worker: runs `work`, which enters native code; when the process is ending it does not, and never settles. */
export async function guarded<T>(guard: Guard, work: () => Promise<T>): Promise<T> {
  Atomics.store(guard, RUNNING, 1);
  try {
    // Looked at after RUNNING is set: either the main thread sees us running, or we see its stop.
    if (Atomics.load(guard, STOP) === 0) return await work();
  } finally {
    Atomics.store(guard, RUNNING, 0);
    Atomics.notify(guard, RUNNING);
  }
  return new Promise<never>(() => {});
}
