import { describe, expect, it } from 'vitest';
import { pause } from '../../src/common/pause.js';
import { TimeSlice } from '../../src/common/yield.js';

describe('a time slice', () => {
  it('is over after its length, and another starts after yielding', async () => {
    const none = new TimeSlice(0);
    while (!none.isOver);
    await none.yield();
    const long = new TimeSlice(1e9);
    expect(long.isOver).toBe(false);
    await long.yield();
    expect(long.isOver).toBe(false);
  });

  it('lets what is due run before it continues', async () => {
    let ran = false;
    setImmediate(() => (ran = true));
    await new TimeSlice().yield();
    expect(ran).toBe(true);
  });

  it('is the only one in its turn of the event loop, however many wait', async () => {
    let turn = 0;
    const next = () => {
      turn++;
      if (turn < 40) setImmediate(next);
    };
    setImmediate(next);
    const turns: number[] = [];
    const work = async () => {
      for (let i = 0; i < 3; i++) {
        await new TimeSlice().yield();
        turns.push(turn);
      }
    };
    await Promise.all([work(), work(), work(), work()]);
    expect(turns).toHaveLength(12);
    expect(new Set(turns).size).toBe(12);
  });
});

it('a pause ends when the caller gives up', async () => {
  await pause(1);
  await expect(pause(60_000, AbortSignal.timeout(1))).rejects.toMatchObject({ code: 'aborted' });
  await expect(pause(60_000, AbortSignal.abort())).rejects.toMatchObject({ code: 'aborted' });
});
