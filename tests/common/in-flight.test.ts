import { describe, expect, it } from 'vitest';
import { InFlight } from '../../src/common/in-flight.js';

describe('work in flight', () => {
  it('is held back at its limit', async () => {
    const inFlight = new InFlight(2);
    const finish: (() => void)[] = [];
    const start = () => inFlight.add(new Promise<void>((resolve) => finish.push(resolve)));
    start();
    await inFlight.room();
    start();
    let let_in = false;
    const waiting = inFlight.room().then(() => (let_in = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(let_in).toBe(false);
    finish[0]();
    await waiting;
    finish[1]();
    await inFlight.drained();
  });

  it('passes the first failure on to whoever waits, at once', async () => {
    const inFlight = new InFlight(1);
    inFlight.add(new Promise(() => {}));
    const waiting = inFlight.drained();
    inFlight.fail(new Error('first'));
    inFlight.fail(new Error('second'));
    await expect(waiting).rejects.toThrow('first');
    await expect(inFlight.room()).rejects.toThrow('first');
  });

  it('can be waited for to its end, whatever has failed', async () => {
    const inFlight = new InFlight(2);
    const finish: (() => void)[] = [];
    let hasEnded = false;
    inFlight.add(Promise.reject(new Error('failed')));
    inFlight.add(new Promise<void>((resolve) => finish.push(resolve)));
    await expect(inFlight.drained()).rejects.toThrow('failed');
    const ended = inFlight.ended().then(() => (hasEnded = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(hasEnded).toBe(false);
    finish[0]();
    await ended;
    await expect(inFlight.drained()).rejects.toThrow('failed');
  });
});
