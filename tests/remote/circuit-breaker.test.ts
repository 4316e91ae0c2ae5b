import { describe, expect, it } from 'vitest';
import { CircuitBreaker, Transient } from '../../src/remote/net/index.js';

/** A call whose end the test decides. */
class Call {
  settle!: { resolve: (value: string) => void; reject: (error: Error) => void };
  isAsked = false;
  readonly result: Promise<string>;

  constructor(breaker: CircuitBreaker, signal?: AbortSignal) {
    const answer = new Promise<string>((resolve, reject) => (this.settle = { resolve, reject }));
    this.result = breaker.run(() => {
      this.isAsked = true;
      return answer;
    }, signal);
    // Looked at later.
    this.result.catch(() => undefined);
  }
}

const down = new Transient('connection refused');
const leftAlone = { message: expect.stringContaining('is left alone') as string };

/** A breaker that has just opened, and its clock. */
async function opened(failures = 2, pauseMs = 100) {
  const clock = { now: 0 };
  const breaker = new CircuitBreaker(failures, pauseMs, () => clock.now);
  for (let i = 0; i < failures; i++) await expect(breaker.run(() => Promise.reject(down))).rejects.toBe(down);
  return { breaker, clock };
}

describe('a circuit breaker', () => {
  it('leaves a server alone for a while after failures in a row, and says for how long', async () => {
    const { breaker, clock } = await opened();
    clock.now = 30;
    const call = new Call(breaker);
    await expect(call.result).rejects.toMatchObject({ ...leftAlone, retryAfterMs: 70 });
    expect(call.isAsked).toBe(false);
    expect(breaker.isOpen).toBe(true);
  });

  it('then lets one call through; the others wait for what becomes of it, and go on when it succeeds', async () => {
    const { breaker, clock } = await opened();
    clock.now = 100;
    const [probe, ...others] = Array.from({ length: 4 }, () => new Call(breaker));
    // However long it takes.
    clock.now = 100_000;
    await new Promise((resolve) => setImmediate(resolve));
    expect([probe, ...others].map(({ isAsked }) => isAsked)).toEqual([true, false, false, false]);
    probe.settle.resolve('back');
    expect(await probe.result).toBe('back');
    for (const other of others) other.settle.resolve('answer');
    expect(await Promise.all(others.map(({ result }) => result))).toEqual(['answer', 'answer', 'answer']);
    expect(breaker.isOpen).toBe(false);
  });

  it('leaves it alone again when that call fails, and none of the others is sent', async () => {
    const { breaker, clock } = await opened();
    clock.now = 100;
    const [probe, ...others] = Array.from({ length: 4 }, () => new Call(breaker));
    clock.now = 150;
    probe.settle.reject(down);
    for (const { result, isAsked } of others) {
      await expect(result).rejects.toMatchObject({ ...leftAlone, retryAfterMs: 100 });
      expect(isAsked).toBe(false);
    }
  });

  it('learns nothing from a call that was given up: another one finds out', async () => {
    const { breaker, clock } = await opened();
    clock.now = 100;
    const mine = new AbortController();
    const given = new Call(breaker, mine.signal);
    const next = new Call(breaker);
    mine.abort();
    given.settle.reject(new Error('aborted'));
    await expect(given.result).rejects.toThrow('aborted');
    const third = new Call(breaker);
    await new Promise((resolve) => setImmediate(resolve));
    expect([next.isAsked, third.isAsked]).toEqual([true, false]);
    next.settle.reject(down);
    await expect(third.result).rejects.toMatchObject(leftAlone);
  });

  it('does not keep anyone waiting who no longer wants an answer', async () => {
    const { breaker, clock } = await opened();
    clock.now = 100;
    const probe = new Call(breaker);
    const mine = new AbortController();
    const waiting = new Call(breaker, mine.signal);
    mine.abort();
    await expect(waiting.result).rejects.toMatchObject({ code: 'aborted' });
    expect(probe.isAsked).toBe(true);
  });
});
