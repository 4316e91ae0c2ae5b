/** After so many seconds of work, a measurement counts half. */
const halfLife = 2;

/** How much work gets done in a second, from what was done lately; idle time does not count. */
export class Throughput {
  #work = 0;
  #seconds = 0;
  #busyUntil = 0;

  /** Work that took from `started` to `ended` (milliseconds), perhaps beside other work. */
  record(work: number, started: number, ended: number): void {
    // Rounds overlap; each moment counts once.
    const seconds = Math.max(0, ended - Math.max(started, this.#busyUntil)) / 1000;
    this.#busyUntil = Math.max(this.#busyUntil, ended);
    const decay = 0.5 ** (seconds / halfLife);
    this.#work = this.#work * decay + work;
    this.#seconds = this.#seconds * decay + seconds;
  }

  /** Work per second; undefined before anything was measured. */
  get perSecond(): number | undefined {
    return this.#seconds > 0 ? this.#work / this.#seconds : undefined;
  }
}
