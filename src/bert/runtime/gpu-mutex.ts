/**
 * A lock across threads. All WebGPU sessions of a process share one context of onnxruntime, and two threads inside
 * it at once crash the process (onnxruntime 1.30), so workers enter it one at a time.
 */
export type GpuMutex = Int32Array<SharedArrayBuffer>;

const FREE = 0;
const LOCKED = 1;

const mutex: GpuMutex = new Int32Array(new SharedArrayBuffer(4));

/** Main thread: the mutex for workers of a device; only WebGPU needs one. */
export function gpuMutexFor(device: string): GpuMutex | undefined {
  return device === 'webgpu' ? mutex : undefined;
}

/** Worker: runs `work` while it holds the mutex. Blocks the thread meanwhile, as the work itself does. */
export async function withGpuMutex<T>(shared: GpuMutex | undefined, work: () => Promise<T>): Promise<T> {
  if (shared === undefined) return work();
  while (Atomics.compareExchange(shared, 0, FREE, LOCKED) !== FREE) Atomics.wait(shared, 0, LOCKED);
  try {
    return await work();
  } finally {
    Atomics.store(shared, 0, FREE);
    Atomics.notify(shared, 0, 1);
  }
}
