import { describe, expect, it } from 'vitest';
import { TransientFailure } from '../../src/common/retry.js';
import { Limiter } from '../../src/common/limiter.js';

/** A call whose end the test decides. */
class Call {
  settle!: { resolve: (value: string) => void; reject: (error: Error) => void };
  isAsked = false;
  readonly result: Promise<string>;

  constructor(limiter: Limiter, signal?: AbortSignal) {
    const answer = new Promise<string>((resolve, reject) => (this.settle = { resolve, reject }));
    this.result = limiter.run(() => {
      this.isAsked = true;
      return answer;
    }, signal);
    // Looked at later.
    this.result.catch(() => undefined);
  }
}

const down = new TransientFailure('connection refused');
const leftAlone = { message: expect.stringContaining('is left alone') as string };

/** A limiter whose circuit has just opened, and its clock. */
async function opened(failures = 2, pauseMs = 100) {
  const clock = { now: 0 };
  const limiter = new Limiter(10, { failures, pauseMs }, () => clock.now);
  for (let i = 0; i < failures; i++) await expect(limiter.run(() => Promise.reject(down))).rejects.toBe(down);
  return { limiter, clock };
}

describe('a limiter with a circuit', () => {
  it('leaves a server alone for a while after failures in a row, and says for how long', async () => {
    const { limiter, clock } = await opened();
    clock.now = 30;
    const call = new Call(limiter);
    await expect(call.result).rejects.toMatchObject({ ...leftAlone, retryAfterMs: 70 });
    expect(call.isAsked).toBe(false);
    expect(limiter.isOpen).toBe(true);
  });

  it('then lets one call through; the others wait for what becomes of it, and go on when it succeeds', async () => {
    const { limiter, clock } = await opened();
    clock.now = 100;
    const [probe, ...others] = Array.from({ length: 4 }, () => new Call(limiter));
    // However long it takes.
    clock.now = 100_000;
    await new Promise((resolve) => setImmediate(resolve));
    expect([probe, ...others].map(({ isAsked }) => isAsked)).toEqual([true, false, false, false]);
    probe.settle.resolve('back');
    expect(await probe.result).toBe('back');
    for (const other of others) other.settle.resolve('answer');
    expect(await Promise.all(others.map(({ result }) => result))).toEqual(['answer', 'answer', 'answer']);
    expect(limiter.isOpen).toBe(false);
  });

  it('leaves it alone again when that call fails, and none of the others is sent', async () => {
    const { limiter, clock } = await opened();
    clock.now = 100;
    const [probe, ...others] = Array.from({ length: 4 }, () => new Call(limiter));
    clock.now = 150;
    probe.settle.reject(down);
    for (const { result, isAsked } of others) {
      await expect(result).rejects.toMatchObject({ ...leftAlone, retryAfterMs: 100 });
      expect(isAsked).toBe(false);
    }
  });

  it('learns nothing from a call that was given up: another one finds out', async () => {
    const { limiter, clock } = await opened();
    clock.now = 100;
    const mine = new AbortController();
    const given = new Call(limiter, mine.signal);
    const next = new Call(limiter);
    mine.abort();
    given.settle.reject(new Error('aborted'));
    await expect(given.result).rejects.toThrow('aborted');
    const third = new Call(limiter);
    await new Promise((resolve) => setImmediate(resolve));
    expect([next.isAsked, third.isAsked]).toEqual([true, false]);
    next.settle.reject(down);
    await expect(third.result).rejects.toMatchObject(leftAlone);
  });

  it('does not keep anyone waiting who no longer wants an answer', async () => {
    const { limiter, clock } = await opened();
    clock.now = 100;
    const probe = new Call(limiter);
    const mine = new AbortController();
    const waiting = new Call(limiter, mine.signal);
    mine.abort();
    await expect(waiting.result).rejects.toMatchObject({ code: 'aborted' });
    expect(probe.isAsked).toBe(true);
  });
});

describe('a limiter', () => {
  it('lets a number of calls run at once, fewer when the server is slow, more again with success', async () => {
    const limiter = new Limiter(4);
    const calls = Array.from({ length: 6 }, () => new Call(limiter));
    await new Promise((resolve) => setImmediate(resolve));
    expect(calls.map(({ isAsked }) => isAsked)).toEqual([true, true, true, true, false, false]);
    limiter.slowDown();
    expect(limiter.allowed).toBe(2);
    calls[0].settle.resolve('a');
    calls[1].settle.resolve('b');
    await Promise.all([calls[0].result, calls[1].result]);
    // Two successes: one more.
    expect(limiter.allowed).toBe(3);
    await new Promise((resolve) => setImmediate(resolve));
    expect(calls.map(({ isAsked }) => isAsked)).toEqual([true, true, true, true, true, false]);
    for (const call of calls) call.settle.resolve('c');
    await Promise.all(calls.map(({ result }) => result));
    expect(limiter.allowed).toBe(4);
  });

  it('never leaves a server alone without a circuit', async () => {
    const limiter = new Limiter(2);
    for (let i = 0; i < 50; i++) await expect(limiter.run(() => Promise.reject(down))).rejects.toBe(down);
    expect(limiter.isOpen).toBe(false);
  });
});
