import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  Admission,
  Refusal,
  Throughput,
  type Claim,
  type Ticket,
} from '../../src/server/scheduling/index.js';

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
    expect(admission.isFull({ client: 'a', deadline: 1000, route: '/' })).toBe(true);
  });

  it('takes a small request of a newcomer while another waits for a large one', () => {
    const admission = new Admission(limits, speed);
    // Too much for its deadline, but the server had nothing else to do.
    admission.admit({ client: 'large', work: 1000, deadline: 1000 });
    expect(admission.isFull({ client: 'small', deadline: 1000, route: '/' })).toBe(false);
    admission.admit({ client: 'small', work: 100, deadline: 1000 });
    refusal(() => admission.admit({ client: 'large', work: 1, deadline: 1000 }));
  });

  it('knows at any time what waits: the sum of what was admitted and is not done, and of what is claimed', () => {
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
      fc.record({
        kind: fc.constant('claim' as const),
        client: fc.constantFrom('a', 'b', 'c'),
        bytes: fc.nat(5000),
      }),
      fc.record({ kind: fc.constantFrom('release' as const, 'settle' as const), which: fc.nat(20) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const admission = new Admission(limits, speed);
        const open: { ticket: Ticket; left: number }[] = [];
        const claims: Claim[] = [];
        for (const each of steps) {
          if (each.kind === 'claim') {
            const before = admission.claimedTokens;
            claims.push(admission.claim({ ...each, deadline: 1000, route: '/' })!);
            expect(admission.claimedTokens).toBeGreaterThanOrEqual(before);
            expect(admission.claimedTokens + admission.pendingTokens).toBeLessThanOrEqual(
              Math.max(limits.queueTokens, before + admission.pendingTokens) + 1e-6,
            );
            continue;
          }
          if (each.kind === 'release' || each.kind === 'settle') {
            const [claim] = claims.splice(each.which % Math.max(1, claims.length), 1);
            if (each.kind === 'release') claim?.release();
            else claim?.settle(100);
            // What is given back is given back once.
            claim?.release();
            continue;
          }
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
        for (const claim of claims) claim.release();
        expect(admission.claimedTokens).toBe(0);
      }),
    );
  });
});

describe('a claim', () => {
  /** 440 bytes are 100 tokens until a request has shown otherwise. */
  const arrival = { client: 'a', deadline: 1000, route: '/rerank', bytes: 440 };

  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('holds the place of a request that is being read, until it is read or gone', () => {
    const admission = new Admission(limits, speed);
    const claims = Array.from({ length: 4 }, () => {
      expect(admission.isFull(arrival)).toBe(false);
      return admission.claim(arrival)!;
    });
    expect(admission.isFull(arrival)).toBe(true);
    expect([admission.claimedTokens, admission.pendingTokens]).toEqual([400, 0]);
    claims[0].release();
    expect(admission.isFull(arrival)).toBe(false);
    claims[1].settle(100);
    admission.admit({ client: 'a', work: 100, deadline: 1000 });
    expect(admission.claimedTokens).toBeCloseTo(200);
    expect(admission.pendingTokens).toBe(100);
  });

  it('is honoured where the request is not much more than it was for, and the queue can hold it', () => {
    const admission = new Admission(limits, speed);
    const [first, second, third] = Array.from({ length: 4 }, () => admission.claim(arrival)!);
    admission.admit({ client: 'a', work: 140, deadline: 1000, held: first.settle(140) });
    // The first took more than its place; that is not the second's fault.
    admission.admit({ client: 'a', work: 140, deadline: 1000, held: second.settle(140) });
    refusal(() => admission.admit({ client: 'a', work: 151, deadline: 1000, held: third.settle(151) }));
    const small = new Admission({ requestTokens: 1000, queueTokens: 100 }, unmeasured);
    const held = small.claim({ ...arrival, bytes: 200 })!.settle(60);
    small.admit({ client: 'b', work: 50, deadline: 1000 });
    refusal(() => small.admit({ client: 'a', work: 60, deadline: 1000, held }));
  });

  it('lapses: who is slow to send a body keeps no place from others', () => {
    const admission = new Admission(limits, speed);
    const claim = admission.claim({ ...arrival, bytes: 1e9 });
    expect(admission.isFull(arrival)).toBe(true);
    vi.advanceTimersByTime(2000);
    expect(admission.isFull(arrival)).toBe(false);
    expect(admission.claimedTokens).toBe(0);
    expect(claim!.settle(100)).toBe(0);
    expect(admission.claimedTokens).toBe(0);
  });

  it('is never for more than there is room for: others keep theirs', () => {
    const admission = new Admission(limits, speed);
    admission.claim({ ...arrival, bytes: 1e9 });
    expect(admission.isFull({ ...arrival, client: 'b' })).toBe(false);
    admission.admit({ client: 'b', work: 100, deadline: 1000 });
  });

  it('of another keeps nothing from a server that has nothing to do', () => {
    const admission = new Admission(limits, speed);
    for (const client of ['b', 'c']) admission.claim({ ...arrival, client, bytes: 1e9 });
    // Too much for its deadline; but trying is better than refusing.
    expect(admission.isFull({ ...arrival, bytes: 4000 })).toBe(false);
    admission.admit({ client: 'a', work: 900, deadline: 1000 });
  });

  it('is not made where the length of a body is not declared', () => {
    const admission = new Admission(limits, speed);
    expect(admission.claim({ client: 'a', deadline: 1000, route: '/' })).toBeUndefined();
  });

  it('is for what requests of the route came to, byte for byte; what cannot fit then is not read', () => {
    const admission = new Admission(limits, speed);
    // One token for ten bytes here, ten for one there.
    for (let i = 0; i < 100; i++) {
      admission.claim({ ...arrival, route: '/light' })!.settle(44);
      admission.claim({ ...arrival, route: '/heavy' })!.settle(4400);
    }
    admission.admit({ client: 'a', work: 200, deadline: 1000 });
    expect(admission.isFull({ ...arrival, route: '/light' })).toBe(false);
    expect(admission.isFull({ ...arrival, route: '/heavy' })).toBe(true);
    const claim = admission.claim({ ...arrival, route: '/light' })!;
    expect(admission.claimedTokens).toBeCloseTo(44, 0);
    claim.release();
    // A single light one among the heavy, and they are read again before they are refused.
    admission.claim({ ...arrival, route: '/heavy' })!.settle(44);
    expect(admission.isFull({ ...arrival, route: '/heavy' })).toBe(false);
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
