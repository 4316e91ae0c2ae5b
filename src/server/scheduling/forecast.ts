/** Characters of a word piece in English text. */
export const charactersPerToken = 4.4;

/** The part of the difference that a new request corrects in the mean. */
const meanRate = 0.1;

/** The part of the difference that a new request corrects in the minimum, where the minimum rises. */
const minimumRate = 0.02;

/** The expected work of a request, from the length of its body and the work per byte of earlier requests of its route. */
export class Forecast {
  /** Work per byte, at first that of plain text. */
  #mean = 1 / charactersPerToken;
  /** Falls at once, rises slowly. */
  #minimum: number | undefined;

  /** Learns from a request that has been read. */
  learn(bytes: number, work: number): void {
    if (!(bytes > 0)) return;
    const ratio = work / bytes;
    this.#mean += meanRate * (ratio - this.#mean);
    const minimum = this.#minimum ?? ratio;
    this.#minimum = Math.min(ratio, minimum + minimumRate * (ratio - minimum));
  }

  mean(bytes: number): number {
    return this.#mean * bytes;
  }

  /** The work of the lightest recent requests of this length; 0 before the first one. */
  minimum(bytes: number): number {
    return (this.#minimum ?? 0) * bytes;
  }
}
