import { BertQeError } from '../../common/errors.js';
import { Forecast } from './forecast.js';
import type { Throughput } from './throughput.js';

export interface AdmissionLimits {
  /** The most work that one request may ask for. */
  readonly requestTokens: number;
  /** The most work that may wait or run at a time. */
  readonly queueTokens: number;
}

/** What a request asks for. */
export interface WorkRequest {
  readonly client: string;
  /** An estimate, in tokens of a model of weight 1. */
  readonly work: number;
  /** Milliseconds in which the answer is wanted. */
  readonly deadline: number;
  /** The work that a place was held for while the request was read (0). */
  readonly held?: number;
}

/** What is known of a request when only its head has been read. */
export interface Arrival extends Pick<WorkRequest, 'client' | 'deadline'> {
  /** Requests of a route are alike. */
  readonly route: string;
  /** The length of its body; absent where it is not declared. */
  readonly bytes?: number | undefined;
}

/** Why a request is not taken. */
export class Refusal extends BertQeError {
  constructor(
    readonly reason: 'too_large' | 'overloaded' | 'draining',
    message: string,
    /** Seconds after which trying again makes sense. */
    readonly retryAfter?: number,
  ) {
    super('failure', message);
  }
}

/**
 * The part of the deadline that a client may fill, alone or with what is its fair share of the speed. Clients that
 * come later take their shares from those that wait already; this leaves them room to be late.
 */
const ownShare = 0.4;

/** The part of the deadline that all of them together may fill. */
const commonShare = 0.9;

/**
 * How much of the free queue a single client may hold: with 2, one client alone fills two thirds of it, and there is
 * always room for the next (dynamic thresholds, as in the shared buffers of network switches).
 */
const greed = 2;

export const overloaded =
  'The server has as much work as it can do in time; try again after the seconds in Retry-After.';

/** A request that was taken. */
export class Ticket {
  #left: number;

  constructor(
    work: number,
    private readonly release: (work: number) => void,
  ) {
    this.#left = work;
  }

  /** Some of its work is done. */
  progress(work: number): void {
    const done = Math.min(work, this.#left);
    this.#left -= done;
    this.release(done);
  }

  /** It is over; what was estimated and not done will not be. */
  close(): void {
    this.progress(this.#left);
  }
}

/**
 * How long a place is held for a request whose body is on its way, in milliseconds. Whoever takes longer to send it
 * is not refused for that, but keeps no place from others.
 */
const holdMs = 1000;

/** A held place is honoured for a request that is so many times what it was held for: it has been read by now. */
const honoured = 1.5;

/** A place held for a request that is being read; given back when it is read, when it ends, or after a while. */
export class Claim {
  readonly #lapses = performance.now() + holdMs;
  #release: ((claim: Claim) => void) | undefined;

  constructor(
    private readonly work: number,
    release: (claim: Claim) => void,
    private readonly learn: (work: number) => void,
  ) {
    this.#release = release;
  }

  get hasLapsed(): boolean {
    return performance.now() >= this.#lapses;
  }

  /** The request is read: it is so much work, for which admission is asked next. Returns what was held until now. */
  settle(work: number): number {
    const held = this.#release ? this.work : 0;
    this.learn(work);
    this.release();
    return held;
  }

  /** It may be called again. */
  release(): void {
    this.#release?.(this);
    this.#release = undefined;
  }
}

/**
 * Decides at the door. Work is counted in tokens, not in requests: one may be worth a thousand others. A request is
 * taken when there is room for it, and when at the present speed it can be expected to meet its deadline; otherwise
 * it is refused at once, so that the client can go elsewhere while there is time.
 *
 * Between a request's head and its admission lies the reading of its body. A claim holds its place meanwhile, so that
 * of a crowd only as many are read as can be taken.
 */
export class Admission {
  /** Work by client, admitted and claimed. */
  readonly #pending = new Map<string, number>();
  readonly #forecasts = new Map<string, Forecast>();
  /** The oldest first. */
  readonly #claims = new Set<Claim>();
  #total = 0;
  #admitted = 0;

  constructor(
    private readonly limits: AdmissionLimits,
    private readonly throughput: Pick<Throughput, 'perSecond'>,
  ) {}

  /** Work that waits or runs. */
  get pendingTokens(): number {
    return this.#admitted;
  }

  /** Work that places are held for, of requests that are being read. */
  get claimedTokens(): number {
    this.#dropLapsed();
    return notDust(this.#total - this.#admitted);
  }

  /** Whether the request could not be taken now, whatever is in its body: it need not even be read. */
  isFull({ client, deadline, route, bytes = 0 }: Arrival): boolean {
    const room = this.#room(client, deadline);
    return room <= 0 || (this.#admitted > 0 && this.#forecast(route).least(bytes) > room);
  }

  /** Holds a place for a request that was let in; never more than there is, so that others keep theirs. */
  claim({ client, deadline, route, bytes }: Arrival): Claim | undefined {
    if (bytes === undefined) return undefined;
    const forecast = this.#forecast(route);
    const { requestTokens } = this.limits;
    const work = Math.max(0, Math.min(forecast.mean(bytes), requestTokens, this.#room(client, deadline)));
    this.#add(client, work);
    const claim = new Claim(
      work,
      (released) => {
        this.#claims.delete(released);
        this.#add(client, -work);
      },
      (real) => forecast.learn(bytes, real),
    );
    this.#claims.add(claim);
    return claim;
  }

  /** Seconds after which about half of what waits is done. */
  get retryAfter(): number {
    return Math.max(1, Math.ceil(this.#total / (2 * (this.throughput.perSecond ?? this.#total))));
  }

  admit({ client, work, deadline, held = 0 }: WorkRequest): Ticket {
    const { requestTokens, queueTokens } = this.limits;
    if (work > requestTokens) {
      throw new Refusal(
        'too_large',
        `The request is about ${Math.ceil(work)} tokens of work; this server takes at most ${requestTokens} at a time. ` +
          'Send fewer or shorter documents, or start the server with a larger --max-request-tokens.',
      );
    }
    // With nothing else to do, trying is better than refusing: the estimate may be wrong.
    const isPromised = work <= honoured * held && this.#total + work <= queueTokens;
    if (this.#admitted > 0 && !isPromised && work > this.#room(client, deadline)) {
      throw new Refusal('overloaded', overloaded, this.retryAfter);
    }
    const count = (change: number): void => {
      // Sums of fractions leave dust behind; no work is none.
      this.#admitted = notDust(this.#admitted + change);
      this.#add(client, change);
    };
    count(work);
    return new Ticket(work, (done) => count(-done));
  }

  /** The most work that could be taken from the client now. */
  #room(client: string, deadline: number): number {
    this.#dropLapsed();
    const own = this.#pending.get(client) ?? 0;
    return Math.min(this.#roomInQueue(own), this.#roomInTime(own, deadline));
  }

  /** own + room ≤ greed · (free - room) */
  #roomInQueue(own: number): number {
    const free = this.limits.queueTokens - this.#total;
    return Math.min(free, (greed * free - own) / (1 + greed));
  }

  /**
   * Work is shared out fairly, so the client's own is done no later than all of it, and no later than its own at an
   * equal share of the speed. Of a client that asked for more than can be done in time, only what can be is counted:
   * it must not lock the others out.
   */
  #roomInTime(own: number, deadline: number): number {
    const { perSecond } = this.throughput;
    if (perSecond === undefined) return Number.POSITIVE_INFINITY;
    const timely = (ownShare * deadline * perSecond) / 1000;
    const clients = this.#pending.size + (own > 0 ? 0 : 1);
    let common = (commonShare * deadline * perSecond) / 1000;
    for (const pending of this.#pending.values()) common -= Math.min(pending, timely);
    return Math.min(common, Math.max(timely - this.#total, timely / clients - own));
  }

  /** Looked at when room is asked for: a timer for each request would cost more than all the rest of this. */
  #dropLapsed(): void {
    for (const claim of this.#claims) {
      if (!claim.hasLapsed) return;
      claim.release();
    }
  }

  #add(client: string, work: number): void {
    const own = notDust((this.#pending.get(client) ?? 0) + work);
    this.#total += work;
    if (own > 0) this.#pending.set(client, own);
    else this.#pending.delete(client);
    if (this.#pending.size === 0) this.#total = this.#admitted = 0;
  }

  #forecast(route: string): Forecast {
    let forecast = this.#forecasts.get(route);
    if (!forecast) this.#forecasts.set(route, (forecast = new Forecast()));
    return forecast;
  }
}

function notDust(work: number): number {
  return work > 1e-6 ? work : 0;
}
