/** Seconds of work after which a measurement counts half. */
const halfLife = 2;

/** The work done per second of scoring, over the last seconds of it. Idle time does not count. */
export class Throughput {
  #work = 0;
  #seconds = 0;
  #busyUntil = 0;

  /** Records work that took from `started` to `ended` (milliseconds), perhaps beside other work. */
  record(work: number, started: number, ended: number): void {
    // Rounds overlap; each moment counts once.
    const seconds = Math.max(0, ended - Math.max(started, this.#busyUntil)) / 1000;
    this.#busyUntil = Math.max(this.#busyUntil, ended);
    const decay = 0.5 ** (seconds / halfLife);
    this.#work = this.#work * decay + work;
    this.#seconds = this.#seconds * decay + seconds;
  }

  /** Undefined before the first measurement. */
  get perSecond(): number | undefined {
    return this.#seconds > 0 ? this.#work / this.#seconds : undefined;
  }
}
