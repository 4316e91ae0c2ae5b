import { expect, it } from 'vitest';
import { TimeSlice, yieldToEventLoop } from '../../src/common/yield.js';

it('lets what is due run first', async () => {
  let ran = false;
  setImmediate(() => (ran = true));
  await yieldToEventLoop();
  expect(ran).toBe(true);
});

it('ends a slice after its length, and starts another after yielding', async () => {
  const slice = new TimeSlice(0);
  while (!slice.isOver);
  await slice.yield();
  const long = new TimeSlice(1e9);
  expect(long.isOver).toBe(false);
  await long.yield();
  expect(long.isOver).toBe(false);
});
