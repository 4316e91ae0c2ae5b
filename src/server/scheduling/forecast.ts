import { charactersPerPiece } from './work.js';

/** How much of the difference a new request makes up: for the mean, and for the least where it rises. */
const learning = 0.1;
const forgetting = 0.02;

/**
 * How much work a request will be, told from the length of its body before it is read: as much for each byte as those
 * before it came to. For one route; what routes do with a byte differs.
 */
export class Forecast {
  /** Work for a byte: at first that of plain text. */
  #mean = 1 / charactersPerPiece;
  /** Falls at once, rises slowly. */
  #least: number | undefined;

  /** A request was read, and turned out to be so much. */
  learn(bytes: number, work: number): void {
    if (!(bytes > 0)) return;
    const ratio = work / bytes;
    this.#mean += learning * (ratio - this.#mean);
    this.#least = Math.min(ratio, (this.#least ?? ratio) + forgetting * (ratio - (this.#least ?? ratio)));
  }

  /** What it can be expected to be. */
  mean(bytes: number): number {
    return this.#mean * bytes;
  }

  /** What even the lightest for their length came to lately; 0 while nothing is known. */
  least(bytes: number): number {
    return (this.#least ?? 0) * bytes;
  }
}
