import type { Throughput } from './throughput.js';

/** The part of the deadline that one client's work may fill, alone or at its fair share of the speed. */
const clientTimeShare = 0.4;

/** The part of the deadline that the work of all clients may fill. */
const totalTimeShare = 0.9;

/**
 * The most that one client may hold of its own work and the free queue together. One client alone fills two thirds of
 * the queue, so there is always room for the next (dynamic thresholds, as in the shared buffers of network switches).
 */
const maxQueueShare = 2 / 3;

/** The work that waits or runs, by client, and the room that is left. */
export class WorkLedger {
  readonly #byClient = new Map<string, number>();
  /** Work that is admitted, and estimated for requests that are being read. */
  #total = 0;
  #admitted = 0;

  constructor(
    private readonly queueTokens: number,
    private readonly throughput: Pick<Throughput, 'perSecond'>,
  ) {}

  get admitted(): number {
    return this.#admitted;
  }

  get estimated(): number {
    return roundToZero(this.#total - this.#admitted);
  }

  addEstimated(client: string, work: number): void {
    const own = roundToZero((this.#byClient.get(client) ?? 0) + work);
    this.#total += work;
    if (own > 0) this.#byClient.set(client, own);
    else this.#byClient.delete(client);
    if (this.#byClient.size === 0) this.#total = this.#admitted = 0;
  }

  addAdmitted(client: string, work: number): void {
    this.#admitted = roundToZero(this.#admitted + work);
    this.addEstimated(client, work);
  }

  /** True if the queue can hold this much more, however slowly it moves. */
  fits(work: number): boolean {
    return this.#total + work <= this.queueTokens;
  }

  /** The most work that can be taken from a client now. */
  room(client: string, deadline: number): number {
    const own = this.#byClient.get(client) ?? 0;
    return Math.min(this.#roomInQueue(own), this.#roomInTime(own, deadline));
  }

  /** Seconds until about half of the work is done. */
  get halfTime(): number {
    return this.#total / (2 * (this.throughput.perSecond ?? this.#total));
  }

  #roomInQueue(own: number): number {
    const free = this.queueTokens - this.#total;
    return Math.min(free, maxQueueShare * (free + own) - own);
  }

  /**
   * Work is shared fairly: a client's own is done no later than all of it, and no later than its own at an equal share
   * of the speed. Of a client with more work than fits its deadline only the part that fits counts; otherwise it would
   * lock the others out.
   */
  #roomInTime(own: number, deadline: number): number {
    const { perSecond } = this.throughput;
    if (perSecond === undefined) return Number.POSITIVE_INFINITY;
    const inDeadline = (deadline * perSecond) / 1000;
    const timely = clientTimeShare * inDeadline;
    const clients = this.#byClient.size + (own > 0 ? 0 : 1);
    let common = totalTimeShare * inDeadline;
    for (const pending of this.#byClient.values()) common -= Math.min(pending, timely);
    return Math.min(common, Math.max(timely - this.#total, timely / clients - own));
  }
}

/** Sums of fractions leave a remainder where nothing is left. */
function roundToZero(work: number): number {
  return work > 1e-6 ? work : 0;
}
