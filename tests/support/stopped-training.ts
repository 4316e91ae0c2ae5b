import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';

/** The call of a training that is stopped after so many steps. */
export function stoppedAfter(steps: number) {
  const controller = new AbortController();
  const onProgress = (progress: object): void => {
    if ('step' in progress && progress.step === steps) controller.abort();
  };
  return { signal: controller.signal, onProgress };
}

/** Checks that files in two folders have the same bytes. */
export async function expectSameFiles(a: string, b: string, names = ['model.safetensors']): Promise<void> {
  for (const name of names) {
    const [first, second] = [await readFile(join(a, name)), await readFile(join(b, name))];
    expect(first.equals(second), name).toBe(true);
  }
}
