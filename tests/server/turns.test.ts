import { describe, expect, it } from 'vitest';
import { measure } from '../../src/server/scheduling/measure.js';
import { Turns } from '../../src/server/turns.js';

const immediate = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('turns of the event loop', () => {
  it('pass while others keep coming to the door, but not for ever', async () => {
    const turns = new Turns();
    let isOver = false;
    const crowd = (arrivals: number): Promise<void> =>
      new Promise((resolve) => {
        const come = (left: number): void => {
          if (left === 0 || isOver) return resolve();
          turns.arrived();
          setImmediate(() => come(left - 1));
        };
        come(arrivals);
      });
    const went: string[] = [];
    await turns.next();
    const waiting = turns.next().then(() => went.push('read'));
    await crowd(10).then(() => went.push('crowd'));
    await waiting;
    expect(went).toEqual(['crowd', 'read']);
    const endless = crowd(Number.POSITIVE_INFINITY);
    // Two, as the first may go at once.
    await Promise.all([turns.next(), turns.next()]);
    isOver = true;
    await endless;
  });

  it('go to one caller each, in the order in which they asked; the first does not wait', async () => {
    const turns = new Turns();
    const went: string[] = [];
    const callers = ['a', 'b', 'c'].map((name) => turns.next().then(() => went.push(name)));
    await Promise.resolve();
    await Promise.resolve();
    expect(went).toEqual(['a']);
    // What else the loop has to do comes in between.
    const watch = (async () => {
      for (let i = 0; i < 6; i++) {
        await immediate();
        went.push('|');
      }
    })();
    await Promise.all([...callers, watch]);
    const [, b, c] = ['a', 'b', 'c'].map((name) => went.indexOf(name));
    expect(went.slice(b, c)).toContain('|');
    expect(b).toBeLessThan(c);
    await immediate();
    let isAtOnce = false;
    void turns.next().then(() => (isAtOnce = true));
    await Promise.resolve();
    await Promise.resolve();
    expect(isAtOnce).toBe(true);
  });
});

describe('measuring pairs', () => {
  const shape = { layers: 1, hidden: 1, intermediate: 1 };
  const meterOf = (onCount: () => void) => ({
    shape,
    count: () => ({ sequences: 0, tokens: 0, squaredTokens: 0 }),
    lengthOf: ({ b }: { b: string }) => {
      onCount();
      return b.length;
    },
  });
  const pairs = Array.from({ length: 200 }, (_, i) => ({ a: 'q', b: 'x'.repeat(i) }));
  const lengths = pairs.map(({ b }) => b.length);

  it('of few pairs is done at once', () => {
    const few = pairs.slice(0, 3);
    expect(
      measure(
        meterOf(() => undefined),
        few,
      ),
    ).toEqual(Uint32Array.from(lengths.slice(0, 3)));
    expect(
      measure(
        meterOf(() => undefined),
        [],
      ),
    ).toEqual(new Uint32Array(0));
  });

  it('of many lets others have their turn, and counts the same', async () => {
    let turns = 0;
    const others = setInterval(() => turns++, 1);
    const slow = meterOf(() => {
      const end = performance.now() + 0.5;
      while (performance.now() < end);
    });
    const measured = await measure(slow, pairs);
    clearInterval(others);
    expect([...measured]).toEqual(lengths);
    // A hundred milliseconds of counting, with pauses in it.
    expect(turns).toBeGreaterThan(3);
  });
});
