import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { TextPair } from '../../src/bert/index.js';
import { Scheduler, type ServedModel } from '../../src/server/scheduling/index.js';

/** Ten tokens a pair; the score of a pair is the number it is called by. */
class FakeModel implements ServedModel {
  readonly name = 'fake';
  readonly precision = 'fp32';
  readonly device = 'cpu';
  readonly weight = 1;
  readonly rounds: string[][] = [];
  readonly scorer = {
    lengthOf: () => 10,
    scoreLogits: async (pairs: readonly TextPair[]) => {
      this.rounds.push(pairs.map(({ b }) => b));
      await new Promise((resolve) =>
        this.delayMs > 0 ? setTimeout(resolve, this.delayMs) : setImmediate(resolve),
      );
      if (pairs.some(({ a }) => a === 'poison')) throw new Error('the model choked');
      return { labels: 1, values: Float32Array.from(pairs, ({ b }) => Number(b.split(' ')[1])) };
    },
  };

  constructor(
    readonly roundTokens = 40,
    private readonly delayMs = 0,
    readonly fullRoundTokens = roundTokens,
  ) {}
}

const pairsOf = (client: string, count: number, a = 'q'): TextPair[] =>
  Array.from({ length: count }, (_, i) => ({ a, b: `${client} ${i}` }));

describe('the scheduler', () => {
  it('gives every call its own scores in its own order, whatever else goes on', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ client: fc.constantFrom('a', 'b', 'c'), count: fc.nat(30) }), { maxLength: 12 }),
        fc.integer({ min: 1, max: 200 }),
        async (calls, roundTokens) => {
          const model = new FakeModel(roundTokens);
          const scheduler = new Scheduler();
          const answers = await Promise.all(
            calls.map(({ client, count }) => scheduler.run({ model, client, pairs: pairsOf(client, count) })),
          );
          answers.forEach((odds, i) =>
            expect([...odds]).toEqual(Array.from({ length: calls[i].count }, (_, j) => j)),
          );
          const scored = model.rounds.flat().length;
          expect(scored).toBe(calls.reduce((sum, { count }) => sum + count, 0));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('shares each round out among those who wait', async () => {
    const model = new FakeModel(60);
    const scheduler = new Scheduler();
    await Promise.all([
      scheduler.run({ model, client: 'large', pairs: pairsOf('large', 100) }),
      scheduler.run({ model, client: 'small', pairs: pairsOf('small', 6) }),
      scheduler.run({ model, client: 'other', pairs: pairsOf('other', 6) }),
    ]);
    const shares = model.rounds.map((round) =>
      ['large', 'small', 'other'].map((client) => round.filter((text) => text.startsWith(client)).length),
    );
    // Two rounds went out before the others came; then those who have had the least go first, alike.
    expect(shares.slice(0, 5)).toEqual([
      [6, 0, 0],
      [6, 0, 0],
      [0, 3, 3],
      [0, 3, 3],
      [6, 0, 0],
    ]);
  });

  it('lets rounds grow while the model is quick, as far as it may', async () => {
    const model = new FakeModel(40, 0, 120);
    const scheduler = new Scheduler();
    // 100 tokens in the time that a round may take.
    scheduler.throughput.record(2000, 0, 1000);
    const clients = Array.from({ length: 20 }, (_, i) => `client ${i}`);
    await Promise.all(clients.map((client) => scheduler.run({ model, client, pairs: pairsOf(client, 5) })));
    const sizes = model.rounds.map((round) => round.length);
    expect(Math.max(...sizes)).toBeGreaterThanOrEqual(10);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(12);
    // So does a call with much work, while there is no other.
    const alone = new FakeModel(40, 0, 120);
    const idle = new Scheduler();
    idle.throughput.record(2000, 0, 1000);
    await idle.run({ model: alone, client: 'a', pairs: pairsOf('a', 60) });
    expect(alone.rounds[0]).toHaveLength(10);
    const slow = new FakeModel(40, 0, 120);
    const other = new Scheduler();
    other.throughput.record(400, 0, 1000);
    await other.run({ model: slow, client: 'a', pairs: pairsOf('a', 8) });
    expect(slow.rounds[0]).toHaveLength(4);
  });

  it('keeps rounds small of those who have much waiting, and others out of them', async () => {
    const model = new FakeModel(40, 5, 1000);
    const scheduler = new Scheduler();
    // 1,000 tokens in the time that a round may take, 100 where much waits.
    scheduler.throughput.record(20_000, 0, 1000);
    vi.spyOn(scheduler.throughput, 'record').mockReturnValue();
    const large = ['large', 'larger'].map((client, i) =>
      scheduler.run({ model, client, pairs: pairsOf(client, 1000 * (i + 1)) }),
    );
    await new Promise((resolve) => setTimeout(resolve, 20));
    const before = model.rounds.length;
    await scheduler.run({ model, client: 'small', pairs: pairsOf('small', 50) });
    const small = model.rounds.findIndex((round) => round[0].startsWith('small'));
    // It came at once and whole: no more than two rounds were under way.
    expect(model.rounds[small]).toHaveLength(50);
    expect(small - before).toBeLessThanOrEqual(1);
    await Promise.all(large);
    const others = model.rounds.filter((_, i) => i !== small);
    // The last 200 pairs of each are no longer much.
    expect(others.filter((round) => round.length > 10).length).toBeLessThan(12);
    expect(others.length).toBeGreaterThan(200);
  });

  it('puts those first who asked for little of late, and treats those alike who ask for more', async () => {
    const model = new FakeModel(40, 2, 200);
    const scheduler = new Scheduler();
    scheduler.throughput.record(2000, 0, 1000);
    vi.spyOn(scheduler.throughput, 'record').mockReturnValue();
    const ended: string[] = [];
    const run = (client: string, count: number) =>
      scheduler
        .run({ model, client, pairs: pairsOf(client, count) })
        .then(() => void ended.push(`${client} ${count}`));
    const busy = run('busy', 300);
    // Twenty pairs are its head start: those after it wait for as many of the other's.
    for (let i = 0; i < 8; i++) await run('seldom', 5);
    const given = model.rounds.flat().filter((text) => text.startsWith('busy')).length;
    expect(given).toBeGreaterThanOrEqual(16);
    expect(given).toBeLessThan(100);
    await busy;
    expect(ended).toHaveLength(9);
  });

  it('serves calls of one client in the order in which they came', async () => {
    const model = new FakeModel(20);
    const scheduler = new Scheduler();
    const ended: number[] = [];
    await Promise.all(
      [5, 5, 5].map((count, i) =>
        scheduler.run({ model, client: 'a', pairs: pairsOf('a', count) }).then(() => ended.push(i)),
      ),
    );
    expect(ended).toEqual([0, 1, 2]);
  });

  it('lets nobody pay for the text that a model failed on but the one who sent it', async () => {
    const model = new FakeModel(1000);
    const scheduler = new Scheduler();
    // Fills both places, so that the jobs after it share a round.
    const before = [1, 2].map((i) => scheduler.run({ model, client: `first ${i}`, pairs: pairsOf('x', 1) }));
    const [good, bad, other] = await Promise.allSettled([
      scheduler.run({ model, client: 'good', pairs: pairsOf('good', 3) }),
      scheduler.run({ model, client: 'bad', pairs: pairsOf('bad', 3, 'poison') }),
      scheduler.run({ model, client: 'other', pairs: pairsOf('other', 3) }),
      ...before,
    ]);
    expect(model.rounds.some((round) => round.includes('good 0') && round.includes('bad 0'))).toBe(true);
    expect([good.status, bad.status, other.status]).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect((bad as PromiseRejectedResult).reason).toMatchObject({ message: 'the model choked' });
  });

  it('spends nothing more on a call that was given up', async () => {
    const model = new FakeModel(20, 30);
    const handedOut = () => model.rounds.flat().filter((text) => text.startsWith('a')).length;
    let before = Number.NaN;
    const scheduler = new Scheduler();
    const abort = new AbortController();
    const call = scheduler.run({
      model,
      client: 'a',
      pairs: pairsOf('a', 1000),
      signal: abort.signal,
      onProgress: (done) => {
        if (done < 10 || abort.signal.aborted) return;
        before = handedOut();
        abort.abort();
      },
    });
    await expect(call).rejects.toMatchObject({ code: 'aborted' });
    await scheduler.run({ model, client: 'b', pairs: pairsOf('b', 1) });
    expect(before).toBeLessThan(1000);
    expect(handedOut()).toBe(before);
    await expect(
      scheduler.run({ model, client: 'a', pairs: [], signal: abort.signal }),
    ).rejects.toMatchObject({
      code: 'aborted',
    });
  });

  it('tells a call when its first pairs go out, and how far it is', async () => {
    const model = new FakeModel(30);
    const heard: string[] = [];
    await new Scheduler().run({
      model,
      client: 'a',
      pairs: pairsOf('a', 7),
      onStart: () => heard.push('start'),
      onProgress: (done, work) => heard.push(`${done} ${work}`),
    });
    expect(heard).toEqual(['start', '3 30', '6 30', '7 10']);
  });
});
