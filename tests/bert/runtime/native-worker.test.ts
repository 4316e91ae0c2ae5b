import { describe, expect, it, onTestFinished } from 'vitest';
import { type NO_ANSWER, NativeWorker, type WorkerService } from '../../../src/bert/runtime/index.js';
import type { ErrorCode } from '../../../src/common/errors.js';

interface Echo extends WorkerService {
  echo<T>(value: T, ms?: number): Promise<T>;
  silent(): Promise<typeof NO_ANSWER>;
  fail(code?: ErrorCode): Promise<void>;
  exit(): Promise<void>;
}

const file = new URL('./echo-worker.js', import.meta.url);

async function start(refuse = '') {
  const released = new Int32Array(new SharedArrayBuffer(4));
  const exits: string[] = [];
  const worker = await NativeWorker.start<Echo>({
    file,
    name: 'echo',
    device: 'cpu',
    setup: { refuse, released },
    onExit: (reason) => exits.push(reason),
  });
  onTestFinished(() => worker.close());
  return { worker, released, exits };
}

describe('a worker of the runtime', () => {
  it('answers every call with its own result, in their order', async () => {
    const { worker } = await start();
    const order: number[] = [];
    const calls = [20, 0, 5].map(async (ms, i) => {
      const value = await worker.call('echo', new Map([[i, ms]]), ms);
      order.push(i);
      return value;
    });
    expect(await Promise.all(calls)).toEqual([new Map([[0, 20]]), new Map([[1, 0]]), new Map([[2, 5]])]);
    expect(order).toEqual([0, 1, 2]);
    expect(await worker.call('echo', undefined)).toBeUndefined();
  });

  it('passes errors on by their code, and goes on', async () => {
    const { worker } = await start();
    await expect(worker.call('fail', 'missing')).rejects.toMatchObject({
      code: 'missing',
      message: 'a coded error',
    });
    await expect(worker.call('fail')).rejects.toMatchObject({ code: 'failure', message: 'a plain error' });
    expect(await worker.call('echo', 1)).toBe(1);
  });

  it('sends nothing for a method without an answer', async () => {
    const { worker } = await start();
    let replies = 0;
    const call = worker.send('silent', [], () => replies++);
    expect(await worker.call('echo', 1)).toBe(1);
    worker.forget(call);
    expect(replies).toBe(0);
  });

  it('does not start when its service cannot be opened', async () => {
    await expect(start('input')).rejects.toMatchObject({ code: 'input', message: 'not this model' });
    await expect(start('error')).rejects.toMatchObject({ code: 'failure', message: 'out of luck' });
  });

  it('rejects the calls of a worker that ends, and all later ones', async () => {
    const { worker, exits } = await start();
    const calls = [worker.call('exit'), worker.call('echo', 1)];
    for (const call of calls) {
      await expect(call).rejects.toMatchObject({
        code: 'failure',
        message: 'The echo worker ended: exit code 3.',
      });
    }
    await expect(worker.call('echo', 1)).rejects.toThrow('exit code 3');
    expect(exits).toEqual(['exit code 3']);
  });

  it('finishes its calls and releases its service before it is closed', async () => {
    const { worker, released, exits } = await start();
    const slow = worker.call('echo', 'slow', 50);
    await worker.close();
    expect(await slow).toBe('slow');
    expect(released[0]).toBe(1);
    expect(exits).toEqual([]);
    await expect(worker.call('echo', 1)).rejects.toThrow('closed');
  });
});
