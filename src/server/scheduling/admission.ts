import { getOrInsert } from '../../common/get-or-insert.js';
import { HttpProblem } from '../http/problem.js';
import type { ServiceLimits } from '../limits.js';
import { Forecast } from './forecast.js';
import type { Throughput } from './throughput.js';
import { WorkLedger } from './work-ledger.js';

/** The facts about a request that are known from its head. */
export interface Arrival {
  readonly client: string;
  /** Milliseconds in which the answer is wanted. */
  readonly deadline: number;
  /** The route of the request. Requests of one route need similar work per byte. */
  readonly route: string;
  /** The length of the body; absent if it is not declared. */
  readonly bytes?: number | undefined;
}

export const overloaded =
  'The server has as much work as it can do in time; try again after the seconds in Retry-After.';

/** Milliseconds for which a request holds queue space while its body arrives. Slower ones are read without. */
const holdMs = 1000;

/** The factor by which a request may exceed its estimate and keep its place, because its body has been read already. */
const estimateTolerance = 1.5;

/**
 * Takes requests or refuses them at once, so that a client can go elsewhere while there is time. Work is counted in
 * tokens, not in requests. A request is taken when the queue has room and when, at the present speed, it will meet its
 * deadline.
 */
export class Admission {
  readonly #ledger: WorkLedger;
  readonly #forecasts = new Map<string, Forecast>();
  /** Reservations of requests whose bodies are being read, the oldest first. */
  readonly #estimated = new Set<Reservation>();

  constructor(
    private readonly limits: Pick<ServiceLimits, 'requestTokens' | 'queueTokens'>,
    throughput: Pick<Throughput, 'perSecond'>,
  ) {
    this.#ledger = new WorkLedger(limits.queueTokens, throughput);
  }

  /** Admitted work that waits or runs. */
  get admittedTokens(): number {
    return this.#ledger.admitted;
  }

  /** Expected work of the requests whose bodies are being read. */
  get estimatedTokens(): number {
    this.#releaseLapsed();
    return this.#ledger.estimated;
  }

  /** Seconds after which about half of the work is done. */
  get retryAfter(): number {
    return Math.max(1, Math.ceil(this.#ledger.halfTime));
  }

  /** True if the request could not be taken now, whatever its body says: there is no need to read it. */
  isFull({ client, deadline, route, bytes = 0 }: Arrival): boolean {
    const room = this.#room(client, deadline);
    return room <= 0 || (this.#ledger.admitted > 0 && this.#forecast(route).minimum(bytes) > room);
  }

  /**
   * Holds queue space for a request until it is read: the expected work of the bytes that have been received, but never
   * more than there is room for. A client that declares a long body and does not send it holds nothing.
   */
  reserve(arrival: Arrival): Reservation {
    const reservation = new Reservation(arrival, this, this.#ledger);
    this.#estimated.add(reservation);
    return reservation;
  }

  /** The work to hold for a request of which so many bytes have arrived; `held` is held already. */
  expectedWork({ client, deadline, route }: Arrival, received: number, held: number): number {
    const most = Math.min(this.limits.requestTokens, held + this.#room(client, deadline));
    return Math.max(held, Math.min(this.#forecast(route).mean(received), most));
  }

  /** Throws if a request that has been read cannot be taken. `held` is the space that it gave back just now. */
  check(reservation: Reservation, work: number, held: number): void {
    const { client, deadline, route, bytes } = reservation.arrival;
    this.#estimated.delete(reservation);
    if (bytes !== undefined) this.#forecast(route).learn(bytes, work);
    const { requestTokens } = this.limits;
    if (work > requestTokens) {
      throw new HttpProblem(
        'too_large',
        `The request is about ${Math.ceil(work)} tokens of work; this server takes at most ${requestTokens} at a time. ` +
          'Send fewer or shorter documents, or start the server with a larger --max-request-tokens.',
      );
    }
    // An idle server tries: the estimate may be wrong.
    if (this.#ledger.admitted === 0) return;
    const keepsPlace = work <= estimateTolerance * held && this.#ledger.fits(work);
    if (!keepsPlace && work > this.#room(client, deadline)) {
      throw new HttpProblem('overloaded', overloaded, { 'Retry-After': String(this.retryAfter) });
    }
  }

  #room(client: string, deadline: number): number {
    this.#releaseLapsed();
    return this.#ledger.room(client, deadline);
  }

  /** Releases lapsed reservations. It runs when room is asked for, because a timer per request would cost more. */
  #releaseLapsed(): void {
    for (const reservation of this.#estimated) {
      if (!reservation.hasLapsed) return;
      reservation.release();
      this.#estimated.delete(reservation);
    }
  }

  #forecast(route: string): Forecast {
    return getOrInsert(this.#forecasts, route, () => new Forecast());
  }
}

/**
 * The queue space of one request. It begins with an estimate from the request's head, is admitted with the work that
 * the body asks for, shrinks as that work is done, and is released at the end.
 */
export class Reservation {
  readonly #lapsesAt = performance.now() + holdMs;
  #isAdmitted = false;
  /** Work that is held now. */
  #held = 0;

  constructor(
    readonly arrival: Arrival,
    private readonly admission: Admission,
    private readonly ledger: WorkLedger,
  ) {}

  /** Holds more as the body arrives. */
  grow(received: number): void {
    if (this.#isAdmitted || this.hasLapsed) return;
    const expected = this.admission.expectedWork(this.arrival, received, this.#held);
    this.ledger.addEstimated(this.arrival.client, expected - this.#held);
    this.#held = expected;
  }

  /** True for an estimate that has been held for too long. */
  get hasLapsed(): boolean {
    return !this.#isAdmitted && performance.now() >= this.#lapsesAt;
  }

  /** Exchanges the estimate for the work that the body asks for, or throws the problem that answers the request. */
  admit(work: number): void {
    const held = this.#held;
    this.release();
    this.admission.check(this, work, held);
    this.#isAdmitted = true;
    this.#held = work;
    this.ledger.addAdmitted(this.arrival.client, work);
  }

  /** Gives back the space of work that is done. */
  progress(work: number): void {
    if (!this.#isAdmitted) return;
    const done = Math.min(work, this.#held);
    this.#held -= done;
    this.ledger.addAdmitted(this.arrival.client, -done);
  }

  /** Gives back what is left; may be called again. */
  release(): void {
    if (this.#isAdmitted) this.progress(this.#held);
    else this.ledger.addEstimated(this.arrival.client, -this.#held);
    this.#held = 0;
  }
}
