/**
 * All WebGPU sessions of a process share one context of onnxruntime, which is not made for several threads: two
 * workers inside it at once crash the process (1.30, on an H200 and on an adapter in software). So they take turns.
 */

export type Turn = Int32Array<SharedArrayBuffer>;

const FREE = 0;
const TAKEN = 1;

const turn: Turn = new Int32Array(new SharedArrayBuffer(4));

/** Main thread: what to tell a worker of this device; those of other devices need not wait for each other. */
export function turnFor(device: string): Turn | undefined {
  return device === 'webgpu' ? turn : undefined;
}

/** Worker: runs `work` when no other worker is in its own. Blocks the thread meanwhile, as the work itself does. */
export async function inTurn<T>(shared: Turn | undefined, work: () => Promise<T>): Promise<T> {
  if (shared === undefined) return work();
  while (Atomics.compareExchange(shared, 0, FREE, TAKEN) !== FREE) Atomics.wait(shared, 0, TAKEN);
  try {
    return await work();
  } finally {
    Atomics.store(shared, 0, FREE);
    Atomics.notify(shared, 0, 1);
  }
}
