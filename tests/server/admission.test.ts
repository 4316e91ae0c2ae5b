import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { HttpProblem } from '../../src/server/http/index.js';
import { Admission, Reservation, Throughput, type Arrival } from '../../src/server/scheduling/index.js';

const limits = { requestTokens: 1000, queueTokens: 3000 };
/** Deadlines of a second: 400 tokens may wait for a client, 900 in all, where the queue is not the limit. */
const speed = { perSecond: 1000 };
const unmeasured = { perSecond: undefined };

function refusal(act: () => unknown): HttpProblem {
  try {
    act();
  } catch (error) {
    if (error instanceof HttpProblem) return error;
    throw error;
  }
  throw new Error('It was admitted.');
}

/** Reserves for a request, of whose body all bytes have been received. */
function reserve(admission: Admission, arrival: Arrival): Reservation {
  const reservation = admission.reserve(arrival);
  reservation.grow(arrival.bytes ?? 0);
  return reservation;
}

/** Reserves for a request whose length is not declared, and admits it. */
function admit(
  admission: Admission,
  { client, work, deadline = 1000 }: { client: string; work: number; deadline?: number },
): Reservation {
  const reservation = reserve(admission, { client, deadline, route: '/' });
  reservation.admit(work);
  return reservation;
}

describe('admission', () => {
  it('refuses what is more than the server ever takes, and says how much that is', () => {
    const admission = new Admission(limits, unmeasured);
    const { type, message } = refusal(() => admit(admission, { client: 'a', work: 1001 }));
    expect(type).toBe('too_large');
    expect(message).toMatch(/about 1001 tokens of work; this server takes at most 1000/);
  });

  it('leaves room in the queue for the next client, however much one asks for', () => {
    const admission = new Admission(limits, unmeasured);
    const take = (client: string) => {
      let taken = 0;
      for (;;) {
        try {
          admit(admission, { client, work: 10 });
        } catch {
          return taken;
        }
        taken += 10;
      }
    };
    expect(take('greedy')).toBeCloseTo(2000, -2);
    expect(take('second')).toBeGreaterThan(600);
    expect(take('third')).toBeGreaterThan(200);
    expect(admission.admittedTokens).toBeLessThanOrEqual(limits.queueTokens);
  });

  it('takes only what can be expected to be done in time', () => {
    const admission = new Admission(limits, speed);
    admit(admission, { client: 'a', work: 300 });
    admit(admission, { client: 'a', work: 100 });
    const { type, headers } = refusal(() => admit(admission, { client: 'a', work: 1 }));
    expect([type, headers]).toEqual(['overloaded', { 'Retry-After': '1' }]);
    // With ten times the deadline there is room.
    admit(admission, { client: 'a', work: 100, deadline: 10_000 });
    expect(admission.isFull({ client: 'a', deadline: 1000, route: '/' })).toBe(true);
  });

  it('takes a small request of a newcomer while another waits for a large one', () => {
    const admission = new Admission(limits, speed);
    // Too much for its deadline, but the server had nothing else to do.
    admit(admission, { client: 'large', work: 1000 });
    expect(admission.isFull({ client: 'small', deadline: 1000, route: '/' })).toBe(false);
    admit(admission, { client: 'small', work: 100 });
    refusal(() => admit(admission, { client: 'large', work: 1 }));
  });
});

/** A reservation, and the work that it should hold. */
interface Expected {
  readonly reservation: Reservation;
  admitted: number;
}

describe('the counts of work', () => {
  const client = fc.constantFrom('a', 'b', 'c');
  const step = fc.oneof(
    fc.record({ kind: fc.constant('reserve' as const), client, bytes: fc.option(fc.nat(5000)) }),
    fc.record({
      kind: fc.constant('admit' as const),
      which: fc.nat(20),
      work: fc.double({ min: 0.1, max: 1200, noNaN: true }),
    }),
    fc.record({
      kind: fc.constant('progress' as const),
      which: fc.nat(20),
      work: fc.double({ min: 0, max: 500, noNaN: true }),
    }),
    fc.record({ kind: fc.constant('release' as const), which: fc.nat(20) }),
  );

  it('are at any time the sums of what reservations hold, and return to zero', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const admission = new Admission(limits, speed);
        const open: Expected[] = [];
        const estimated: Expected[] = [];
        for (const each of steps) {
          if (each.kind === 'reserve') {
            const before = admission.estimatedTokens;
            const reservation = reserve(admission, {
              client: each.client,
              deadline: 1000,
              route: '/',
              bytes: each.bytes ?? undefined,
            });
            estimated.push({ reservation, admitted: 0 });
            expect(admission.estimatedTokens).toBeGreaterThanOrEqual(before);
            expect(admission.estimatedTokens + admission.admittedTokens).toBeLessThanOrEqual(
              Math.max(limits.queueTokens, before + admission.admittedTokens) + 1e-6,
            );
            continue;
          }
          if (each.kind === 'admit') {
            const [one] = estimated.splice(each.which % Math.max(1, estimated.length), 1);
            if (!one) continue;
            try {
              one.reservation.admit(each.work);
              one.admitted = each.work;
              open.push(one);
            } catch (error) {
              expect(error).toBeInstanceOf(HttpProblem);
              // Space is given back once.
              one.reservation.release();
            }
          } else {
            const all = [...open, ...estimated];
            const one = all[each.which % Math.max(1, all.length)];
            if (!one) continue;
            if (each.kind === 'progress') {
              one.reservation.progress(each.work);
              one.admitted = Math.max(0, one.admitted - each.work);
            } else {
              one.reservation.release();
              one.reservation.release();
              one.admitted = 0;
            }
          }
          expect(admission.admittedTokens).toBeCloseTo(
            open.reduce((sum, { admitted }) => sum + admitted, 0),
            4,
          );
        }
        for (const { reservation } of [...open, ...estimated]) reservation.release();
        expect(admission.admittedTokens).toBe(0);
        expect(admission.estimatedTokens).toBe(0);
      }),
    );
  });
});

describe('a reservation of a request that is being read', () => {
  /** 440 bytes are 100 tokens until a request has shown otherwise. */
  const arrival = { client: 'a', deadline: 1000, route: '/rerank', bytes: 440 };

  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('holds its estimate until the request is read or gone', () => {
    const admission = new Admission(limits, speed);
    const reservations = Array.from({ length: 4 }, () => {
      expect(admission.isFull(arrival)).toBe(false);
      return reserve(admission, arrival);
    });
    expect(admission.isFull(arrival)).toBe(true);
    expect([admission.estimatedTokens, admission.admittedTokens]).toEqual([400, 0]);
    reservations[0].release();
    expect(admission.isFull(arrival)).toBe(false);
    reservations[1].admit(100);
    expect(admission.estimatedTokens).toBeCloseTo(200);
    expect(admission.admittedTokens).toBe(100);
  });

  it('is admitted if the request is not much more than its estimate, and the queue can hold it', () => {
    const admission = new Admission(limits, speed);
    const [first, second, third] = Array.from({ length: 4 }, () => reserve(admission, arrival));
    first.admit(140);
    // The first took more than its estimate; that is not the second's fault.
    second.admit(140);
    refusal(() => third.admit(151));
    const small = new Admission({ requestTokens: 1000, queueTokens: 100 }, unmeasured);
    const held = reserve(small, { ...arrival, bytes: 200 });
    admit(small, { client: 'b', work: 50 });
    refusal(() => held.admit(60));
  });

  it('lapses: a client that is slow to send a body keeps no place from others', () => {
    const admission = new Admission(limits, speed);
    const reservation = reserve(admission, { ...arrival, bytes: 1e9 });
    expect(admission.isFull(arrival)).toBe(true);
    vi.advanceTimersByTime(2000);
    expect(admission.isFull(arrival)).toBe(false);
    expect(admission.estimatedTokens).toBe(0);
    admit(admission, { client: 'a', work: 390 });
    // Its estimate counts for nothing any more.
    refusal(() => reservation.admit(100));
    expect(admission.estimatedTokens).toBe(0);
  });

  it('is never for more than there is room for: others keep theirs', () => {
    const admission = new Admission(limits, speed);
    reserve(admission, { ...arrival, bytes: 1e9 });
    expect(admission.isFull({ ...arrival, client: 'b' })).toBe(false);
    admit(admission, { client: 'b', work: 100 });
  });

  it('of another keeps nothing from a server that has nothing to do', () => {
    const admission = new Admission(limits, speed);
    for (const client of ['b', 'c']) reserve(admission, { ...arrival, client, bytes: 1e9 });
    // Too much for its deadline; but trying is better than refusing.
    expect(admission.isFull({ ...arrival, bytes: 4000 })).toBe(false);
    admit(admission, { client: 'a', work: 900 });
  });

  it('holds nothing if the length of the body is not declared', () => {
    const admission = new Admission(limits, speed);
    reserve(admission, { client: 'a', deadline: 1000, route: '/' });
    expect(admission.estimatedTokens).toBe(0);
  });

  it('is for what requests of the route came to, byte for byte; what cannot fit then is not read', () => {
    const admission = new Admission({ ...limits, requestTokens: 5000 }, speed);
    // One token for ten bytes here, ten for one there.
    for (let i = 0; i < 100; i++) {
      for (const [route, work] of [
        ['/light', 44],
        ['/heavy', 4400],
      ] as const) {
        const reservation = reserve(admission, { ...arrival, route });
        reservation.admit(work);
        reservation.release();
      }
    }
    admit(admission, { client: 'a', work: 200 });
    expect(admission.isFull({ ...arrival, route: '/light' })).toBe(false);
    expect(admission.isFull({ ...arrival, route: '/heavy' })).toBe(true);
    const reservation = reserve(admission, { ...arrival, route: '/light' });
    expect(admission.estimatedTokens).toBeCloseTo(44, 0);
    reservation.release();
    // A single light one among the heavy, and they are read again before they are refused.
    reserve(admission, { ...arrival, route: '/heavy' }).admit(44);
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
