/** The mark of the highest combining class: any other mark behind it changes places with it. */
const HIGHEST = '\u0345';

/** Answers of {@link CombiningOrder.isCombining} by code point. */
const UNKNOWN = 0;
const COMBINING = 1;
const STARTING = 2;

/**
 * Canonical decomposition (NFD) in linear time. `String#normalize` puts marks in order by insertion, so a text of two
 * million marks would take it minutes. The classes of marks are not in JavaScript; they are found by looking at which of
 * two marks `normalize` puts first.
 */
export class CombiningOrder {
  private readonly known = new Uint8Array(0x110000);
  /** A character of each class that has been met, in their order. */
  private readonly classes: string[] = [];
  private readonly classOf = new Map<string, string>();

  /** True for a character whose decomposition begins with a mark that may change places with those before it. */
  isCombining(code: number): boolean {
    if (this.known[code] === UNKNOWN) {
      const character = String.fromCodePoint(code);
      const isCombining =
        character === HIGHEST || !(HIGHEST + character).normalize('NFD').startsWith(HIGHEST);
      this.known[code] = isCombining ? COMBINING : STARTING;
    }
    return this.known[code] === COMBINING;
  }

  /** The same as `text.normalize('NFD')`. */
  decompose(text: string): string {
    let result = '';
    const waiting = new Map<string, string>();
    const flush = (): void => {
      if (waiting.size === 0) return;
      for (const first of this.classes) result += waiting.get(first) ?? '';
      waiting.clear();
    };
    for (const composed of text) {
      for (const character of composed.normalize('NFD')) {
        if (!this.isCombining(character.codePointAt(0)!)) {
          flush();
          result += character;
          continue;
        }
        const first = this.firstOfClass(character);
        waiting.set(first, (waiting.get(first) ?? '') + character);
      }
    }
    flush();
    return result;
  }

  private firstOfClass(mark: string): string {
    const known = this.classOf.get(mark);
    if (known !== undefined) return known;
    let at = 0;
    while (at < this.classes.length && isBefore(this.classes[at], mark)) at++;
    const next = this.classes[at];
    if (next === undefined || isBefore(mark, next)) this.classes.splice(at, 0, mark);
    this.classOf.set(mark, this.classes[at]);
    return this.classes[at];
  }
}

/** True if the class of one mark is lower than that of another. */
function isBefore(one: string, other: string): boolean {
  return (other + one).normalize('NFD') === one + other;
}
