import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Admission, Refusal, Throughput, type Ticket } from '../../src/server/scheduling/index.js';

const limits = { requestTokens: 1000, queueTokens: 3000 };
/** Deadlines of a second: 400 tokens may wait for a client, 900 in all, where the queue is not the limit. */
const speed = { perSecond: 1000 };
const unmeasured = { perSecond: undefined };

function refusal(act: () => unknown): Refusal {
  try {
    act();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error('It was admitted.');
}

describe('admission', () => {
  it('refuses what is more than the server ever takes, and says how much that is', () => {
    const admission = new Admission(limits, unmeasured);
    const { reason, message } = refusal(() => admission.admit({ client: 'a', work: 1001, deadline: 1000 }));
    expect(reason).toBe('too_large');
    expect(message).toMatch(/about 1001 tokens of work; this server takes at most 1000/);
  });

  it('leaves room in the queue for the next client, however much one asks for', () => {
    const admission = new Admission(limits, unmeasured);
    const take = (client: string) => {
      let taken = 0;
      for (;;) {
        try {
          admission.admit({ client, work: 10, deadline: 1000 });
        } catch {
          return taken;
        }
        taken += 10;
      }
    };
    expect(take('greedy')).toBeCloseTo(2000, -2);
    expect(take('second')).toBeGreaterThan(600);
    expect(take('third')).toBeGreaterThan(200);
    expect(admission.pendingTokens).toBeLessThanOrEqual(limits.queueTokens);
  });

  it('takes only what can be expected to be done in time', () => {
    const admission = new Admission(limits, speed);
    admission.admit({ client: 'a', work: 300, deadline: 1000 });
    admission.admit({ client: 'a', work: 100, deadline: 1000 });
    const { reason, retryAfter } = refusal(() => admission.admit({ client: 'a', work: 1, deadline: 1000 }));
    expect([reason, retryAfter]).toEqual(['overloaded', 1]);
    // With ten times the patience there is room.
    admission.admit({ client: 'a', work: 100, deadline: 10_000 });
    expect(admission.isFull('a', 1000)).toBe(true);
  });

  it('takes a small request of a newcomer while another waits for a large one', () => {
    const admission = new Admission(limits, speed);
    // Too much for its deadline, but the server had nothing else to do.
    admission.admit({ client: 'large', work: 1000, deadline: 1000 });
    expect(admission.isFull('small', 1000)).toBe(false);
    admission.admit({ client: 'small', work: 100, deadline: 1000 });
    refusal(() => admission.admit({ client: 'large', work: 1, deadline: 1000 }));
  });

  it('knows at any time what waits: the sum of what was admitted and is not done', () => {
    const step = fc.oneof(
      fc.record({
        kind: fc.constant('admit' as const),
        client: fc.constantFrom('a', 'b', 'c'),
        work: fc.double({ min: 0.1, max: 1200, noNaN: true }),
      }),
      fc.record({
        kind: fc.constant('progress' as const),
        which: fc.nat(20),
        work: fc.double({ min: 0, max: 500, noNaN: true }),
      }),
      fc.record({ kind: fc.constant('close' as const), which: fc.nat(20) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const admission = new Admission(limits, speed);
        const open: { ticket: Ticket; left: number }[] = [];
        for (const each of steps) {
          if (each.kind === 'admit') {
            try {
              open.push({
                ticket: admission.admit({ client: each.client, work: each.work, deadline: 1000 }),
                left: each.work,
              });
            } catch (error) {
              expect(error).toBeInstanceOf(Refusal);
            }
            continue;
          }
          const job = open[each.which % Math.max(1, open.length)];
          if (!job) continue;
          if (each.kind === 'progress') {
            job.ticket.progress(each.work);
            job.left = Math.max(0, job.left - each.work);
          } else {
            job.ticket.close();
            open.splice(open.indexOf(job), 1);
          }
          expect(admission.pendingTokens).toBeCloseTo(
            open.reduce((sum, { left }) => sum + left, 0),
            4,
          );
        }
        for (const { ticket } of open) ticket.close();
        expect(admission.pendingTokens).toBe(0);
      }),
    );
  });
});

describe('the throughput', () => {
  it('counts overlapping rounds once, idle time not at all, and forgets', () => {
    const throughput = new Throughput();
    expect(throughput.perSecond).toBeUndefined();
    throughput.record(100, 0, 1000);
    throughput.record(100, 500, 1500);
    expect(throughput.perSecond).toBeCloseTo(200 / 1.5, -1);
    throughput.record(100, 100_000, 101_000);
    expect(throughput.perSecond).toBeCloseTo(300 / 2.5, -1);
    for (let i = 0; i < 100; i++) throughput.record(1000, 200_000 + 1000 * i, 201_000 + 1000 * i);
    expect(throughput.perSecond).toBeCloseTo(1000, -1);
  });
});
