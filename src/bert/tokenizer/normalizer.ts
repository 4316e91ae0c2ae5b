import { CombiningOrder } from './combining-order.js';
import {
  scalarValueAt,
  DECOMPOSING,
  IDEOGRAPH,
  lowerCaseOf,
  MARK,
  propertyTable,
  PUNCTUATION,
  REMOVED,
  SPACE,
} from './unicode.js';

export interface NormalizerOptions {
  /** Drop control characters, turn all white space into blanks. */
  readonly cleanText: boolean;
  /** Set CJK ideographs apart. */
  readonly splitIdeographs: boolean;
  /** Decompose (NFD) and drop non-spacing marks. */
  readonly stripAccents: boolean;
  readonly lowerCase: boolean;
}

const BLANK = 0x20;

/** Characters of a run that are decomposed at once: the time to put marks in order grows with the square. */
const SHORT_RUN = 64;

/** BERT's normaliser, with the steps in the order of the original: clean, set apart, strip accents, lower case. */
export class BertNormalizer {
  private readonly properties = propertyTable();
  private readonly order = new CombiningOrder();

  constructor(readonly options: NormalizerOptions) {}

  /** True where a text can be cut in front of this character, and both parts be normalised alone. */
  isBoundary(code: number): boolean {
    return !this.options.stripAccents || this.startsAnew(code);
  }

  /** True for a mark that vanishes and changes nothing around it. */
  isDropped(code: number): boolean {
    return this.options.stripAccents && (this.properties[code] & MARK) !== 0 && this.order.isCombining(code);
  }

  private startsAnew(code: number): boolean {
    return !(this.properties[code] & DECOMPOSING) || !this.order.isCombining(code);
  }

  normalize(text: string): string {
    const { stripAccents } = this.options;
    const cleaned = this.clean(text);
    const stripped = stripAccents ? this.strip(cleaned) : cleaned;
    return this.options.lowerCase ? this.lower(stripped) : stripped;
  }

  private clean(text: string): string {
    const { cleanText, splitIdeographs } = this.options;
    let result = '';
    for (let i = 0; i < text.length;) {
      const code = scalarValueAt(text, i);
      i += code > 0xffff ? 2 : 1;
      const is = this.properties[code];
      if (cleanText && is & REMOVED) continue;
      if (cleanText && is & SPACE) result += ' ';
      else if (splitIdeographs && is & IDEOGRAPH) result += ` ${String.fromCodePoint(code)} `;
      else result += String.fromCodePoint(code);
    }
    return result;
  }

  /**
   * Decomposition acts on runs of characters that decompose or combine; all others are boundaries. Runs are found by
   * the original's tables, because a newer Unicode would decompose characters that the original leaves alone.
   */
  private strip(text: string): string {
    let result = '';
    let run = '';
    for (const character of text) {
      const code = character.codePointAt(0)!;
      if (this.properties[code] & DECOMPOSING) {
        if (run.length > SHORT_RUN) {
          if (this.isDropped(code)) continue;
          if (this.startsAnew(code)) {
            result += this.decompose(run);
            run = '';
          }
        }
        run += character;
        continue;
      }
      if (run !== '') result += this.decompose(run);
      run = '';
      result += this.unlessMark(character);
    }
    return run === '' ? result : result + this.decompose(run);
  }

  private decompose(run: string): string {
    let result = '';
    const decomposed = run.length > 2 * SHORT_RUN ? this.order.decompose(run) : run.normalize('NFD');
    for (const character of decomposed) result += this.unlessMark(character);
    return result;
  }

  private unlessMark(character: string): string {
    return this.properties[character.codePointAt(0)!] & MARK ? '' : character;
  }

  private lower(text: string): string {
    let result = '';
    for (const character of text) result += lowerCaseOf(character.codePointAt(0)!);
    return result;
  }
}

/**
 * Splits normalised text at white space, and into punctuation marks and the words between them. The last word of a text
 * that ends with it may go on in another.
 */
export function splitWords(normalized: string, emit: (word: string, isLast: boolean) => void): void {
  const properties = propertyTable();
  let start = 0;
  for (let i = 0; i < normalized.length;) {
    const code = normalized.codePointAt(i)!;
    const next = i + (code > 0xffff ? 2 : 1);
    if (code === BLANK || properties[code] & (SPACE | PUNCTUATION)) {
      if (start < i) emit(normalized.slice(start, i), false);
      if (properties[code] & PUNCTUATION) emit(normalized.slice(i, next), false);
      start = next;
    }
    i = next;
  }
  if (start < normalized.length) emit(normalized.slice(start), true);
}
