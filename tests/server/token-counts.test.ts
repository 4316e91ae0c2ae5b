import { afterEach, describe, expect, it, vi } from 'vitest';
import { tokenCounts } from '../../src/server/scheduling/token-counts.js';

const pairs = Array.from({ length: 200 }, (_, i) => ({ a: 'q', b: 'x'.repeat(10 * i) }));
const scorer = { lengthOf: ({ b }: { b: string }) => b.length };

/** The order in which counting and other work end. */
async function orderOf(count: number): Promise<string[]> {
  const order: string[] = [];
  const other = new Promise<void>((resolve) =>
    setImmediate(() => {
      order.push('other work');
      resolve();
    }),
  );
  const counts = await tokenCounts(scorer, pairs.slice(0, count));
  order.push('counted');
  expect([...counts]).toEqual(pairs.slice(0, count).map(({ b }) => b.length));
  await other;
  return order;
}

describe('counting tokens', () => {
  afterEach(() => void vi.restoreAllMocks());

  it('does not pause for a few pairs', async () => {
    expect(await orderOf(3)).toEqual(['counted', 'other work']);
    expect(await orderOf(0)).toEqual(['counted', 'other work']);
  });

  it('lets other work run between many slow ones', async () => {
    let now = 0;
    // Each check of the clock advances it by a millisecond.
    vi.spyOn(performance, 'now').mockImplementation(() => ++now);
    expect(await orderOf(200)).toEqual(['other work', 'counted']);
  });
});
