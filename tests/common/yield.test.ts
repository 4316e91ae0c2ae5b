import { describe, expect, it } from 'vitest';
import { pause, TimeSlice } from '../../src/common/yield.js';

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
});

it('a pause ends when the caller gives up', async () => {
  await pause(1);
  await expect(pause(60_000, AbortSignal.timeout(1))).rejects.toMatchObject({ code: 'aborted' });
  await expect(pause(60_000, AbortSignal.abort())).rejects.toMatchObject({ code: 'aborted' });
});
