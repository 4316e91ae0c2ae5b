import { describe, expect, it } from 'vitest';
import { yieldToEventLoop } from '../../src/common/yield.js';
import { ParseQueue } from '../../src/server/http/index.js';

describe('the parse queue', () => {
  it('lets a request wait while connections keep arriving', async () => {
    const queue = new ParseQueue();
    const order: string[] = [];
    await queue.next();
    const waiting = queue.next().then(() => order.push('parsed'));
    for (let i = 0; i < 10; i++) {
      queue.noteArrival();
      await yieldToEventLoop();
    }
    order.push('arrived');
    await waiting;
    expect(order).toEqual(['arrived', 'parsed']);
  });

  it('does not let it wait for ever', async () => {
    const queue = new ParseQueue();
    const end = new AbortController();
    const endless = (async () => {
      while (!end.signal.aborted) {
        queue.noteArrival();
        await yieldToEventLoop();
      }
    })();
    // Two, as the first goes at once.
    await Promise.all([queue.next(), queue.next()]);
    end.abort();
    await endless;
  });

  it('goes one request after the other, in order, with other work in between', async () => {
    const queue = new ParseQueue();
    const order: string[] = [];
    const parsed = ['a', 'b', 'c'].map(async (name) => {
      await queue.next();
      order.push(name);
      // Other work that this request leaves for the next turn.
      setImmediate(() => order.push(`after ${name}`));
    });
    await Promise.all(parsed);
    await yieldToEventLoop();
    expect(order).toEqual(['a', 'after a', 'b', 'after b', 'c', 'after c']);
  });

  it('is open again when nobody waits', async () => {
    const queue = new ParseQueue();
    for (let i = 0; i < 3; i++) {
      await queue.next();
      await yieldToEventLoop();
    }
    const order: string[] = [];
    setImmediate(() => order.push('turn'));
    await queue.next();
    order.push('parsed');
    await yieldToEventLoop();
    expect(order).toEqual(['parsed', 'turn']);
  });
});
