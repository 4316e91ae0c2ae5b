import { unitWriter } from '../../common/utf16.js';
import type { PairTemplate, Tokenizer } from '../types.js';
import { type AddedToken, AddedTokenMatcher } from './added-tokens.js';
import { IdBuffer } from './id-buffer.js';
import { BertNormalizer, type NormalizerOptions, splitWords } from './normalizer.js';
import { propertyTable, PUNCTUATION, REMOVED, SPACE, WORD } from './unicode.js';
import { HASH_START, hashNext, LONGEST_CACHED, WordCache } from './word-cache.js';
import { WordPiece, type WordPieceOptions } from './wordpiece.js';

interface BertTokenizerOptions extends NormalizerOptions, WordPieceOptions {
  readonly vocabulary: ReadonlyMap<string, number>;
  readonly addedTokens: readonly AddedToken[];
  readonly template: PairTemplate;
}

/** Classes of ASCII characters in the fast path. */
const LETTER = 0;
const BLANK = 1;
const MARK = 2;
/** A character that leaves the fast path: dropped by cleaning, or not ASCII. */
const OTHER = 3;

/** Characters of a longer text without white space that are normalised at a time: few of them may be wanted. */
const SECTION = 512;

/**
 * BERT's WordPiece tokenizer, token for token equal to Hugging Face's. Runs of ASCII letters and digits are looked up
 * in a cache of words without normalisation; all other text between two blanks is normalised in full first. Cutting at
 * blanks is safe because no normalisation step reaches across white space.
 */
export class BertTokenizer implements Tokenizer {
  readonly vocabularySize: number;
  readonly template: PairTemplate;
  private readonly normalizer: BertNormalizer;
  private readonly pieces: WordPiece;
  private readonly rawTokens: AddedTokenMatcher;
  private readonly normalizedTokens: AddedTokenMatcher;
  private readonly ascii = new Uint8Array(128);
  private readonly markIds = new Int32Array(128);
  private readonly cache = new WordCache();
  private readonly out = new IdBuffer();
  /** Pieces that are wanted of the present text. */
  private most = Number.POSITIVE_INFINITY;
  private units = new Uint16Array(4096);
  private writeUnits = unitWriter(this.units);
  private readonly properties = propertyTable();
  /** UTF-16 units of a word that is certainly too long, and so unknown whatever else belongs to it. */
  private readonly longestWord: number;

  constructor(private readonly options: BertTokenizerOptions) {
    this.longestWord = 2 * options.maxWordCharacters + 2;
    const { vocabulary, addedTokens } = options;
    this.template = options.template;
    let highest = -1;
    for (const id of vocabulary.values()) highest = Math.max(highest, id);
    for (const { id } of addedTokens) highest = Math.max(highest, id);
    this.vocabularySize = highest + 1;
    this.normalizer = new BertNormalizer(options);
    this.pieces = new WordPiece(vocabulary, options);
    this.rawTokens = new AddedTokenMatcher(addedTokens.filter((token) => !token.normalized));
    this.normalizedTokens = new AddedTokenMatcher(
      addedTokens
        .filter((token) => token.normalized)
        .map((token) => ({ ...token, content: this.normalizer.normalize(token.content) })),
    );
    for (let code = 0; code < 128; code++) {
      this.ascii[code] = this.kindOf(code);
      this.markIds[code] = vocabulary.get(String.fromCharCode(code)) ?? options.unknownId;
    }
  }

  encode(text: string, most = Number.POSITIVE_INFINITY): Int32Array {
    this.out.length = 0;
    this.most = most;
    for (const segment of this.rawTokens.split(text) ?? [{ text }]) {
      if ('id' in segment) this.out.push(segment.id);
      else if (this.normalizedTokens.isEmpty) this.encodeRaw(segment.text);
      else this.encodeNormalized(this.normalizer.normalize(segment.text));
    }
    return this.out.copy();
  }

  private encodeRaw(text: string): void {
    const { ascii, out } = this;
    const units = this.unitsOf(text);
    for (let i = 0; i < text.length && out.length < this.most;) {
      const code = units[i];
      let kind = code < 128 ? ascii[code] : OTHER;
      if (kind === LETTER) {
        const start = i;
        let hash = hashNext(HASH_START, code);
        for (i++; i < text.length; i++) {
          const next = units[i];
          kind = next < 128 ? ascii[next] : OTHER;
          if (kind !== LETTER) break;
          hash = hashNext(hash, next);
        }
        if (kind === OTHER) i = this.encodeChunk(text, start);
        else this.encodeWord(text, start, i, hash);
      } else if (kind === BLANK) {
        i++;
      } else if (kind === MARK) {
        out.push(this.markIds[code]);
        i++;
      } else {
        i = this.encodeChunk(text, i);
      }
    }
  }

  /** The text as UTF-16 units, copied at once: several times faster than `charCodeAt` for each. */
  private unitsOf(text: string): Uint16Array {
    if (text.length > this.units.length) {
      this.units = new Uint16Array(2 * text.length);
      this.writeUnits = unitWriter(this.units);
    }
    this.writeUnits(text);
    return this.units;
  }

  private encodeWord(text: string, start: number, end: number, hash: number): void {
    const { cache, out, units } = this;
    const brief = end - start <= LONGEST_CACHED;
    if (brief && cache.appendTo(out, units, start, end, hash)) return;
    const from = out.length;
    const word = text.slice(start, end);
    this.pieces.appendTo(out, this.options.lowerCase ? word.toLowerCase() : word);
    if (brief) cache.remember(units, start, end, hash, out, from);
  }

  /** Encodes everything from `start` to the next white space; returns where that is. */
  private encodeChunk(text: string, start: number): number {
    const { cache, out, units } = this;
    let hash = HASH_START;
    let end = start;
    while (end < text.length && !this.isSpace(units[end])) hash = hashNext(hash, units[end++]);
    // White space beyond ASCII.
    if (end === start) return start + 1;
    const brief = end - start <= LONGEST_CACHED;
    if (brief && cache.appendTo(out, units, start, end, hash)) return end;
    if (end - start > 2 * SECTION) {
      this.encodeSections(text, start, end);
      return end;
    }
    const from = out.length;
    this.encodeWords(this.normalizer.normalize(text.slice(start, end)));
    if (brief) cache.remember(units, start, end, hash, out, from);
    return end;
  }

  /** Encodes a long text without white space in sections, until there are as many pieces as are wanted. */
  private encodeSections(text: string, start: number, end: number): void {
    const { normalizer, out, pieces } = this;
    let word = '';
    for (let at = start; at < end && out.length < this.most;) {
      if (word.length === this.longestWord) at = this.skipPlain(at, end);
      const [section, next] = this.sectionAt(text, at, end);
      let last = '';
      splitWords(word + normalizer.normalize(section), (found, isLast) => {
        if (isLast) last = found;
        else pieces.appendTo(out, found);
      });
      word = last.slice(0, this.longestWord);
      at = next;
    }
    if (word !== '') pieces.appendTo(out, word);
  }

  /** The first character from `start` on that could end a word, or whose decomposition is not certainly letters. */
  private skipPlain(start: number, end: number): number {
    const { units, properties } = this;
    let at = start;
    for (; at < end; at++) {
      const unit = units[at];
      const isHangul = unit >= 0xac00 && unit <= 0xd7a3;
      if (isFirstHalf(unit) || isSecondHalf(unit) || (!isHangul && properties[unit] & ~WORD)) break;
    }
    return at;
  }

  /** A section that can be normalised alone, without marks at its end that vanish anyway, and where the next begins. */
  private sectionAt(text: string, start: number, end: number): [section: string, next: number] {
    const { normalizer } = this;
    let cut = Math.min(start + SECTION, end);
    if (cut < end && isSecondHalf(this.units[cut]) && isFirstHalf(this.units[cut - 1])) cut++;
    let next = cut;
    let section = text.slice(start, cut);
    // The order of more marks than a word may have does not matter.
    while (next < end && section.length < cut - start + this.longestWord) {
      const code = text.codePointAt(next)!;
      if (normalizer.isBoundary(code)) break;
      const after = next + (code > 0xffff ? 2 : 1);
      if (!normalizer.isDropped(code)) section += text.slice(next, after);
      next = after;
    }
    return [section, next];
  }

  private encodeNormalized(normalized: string): void {
    for (const segment of this.normalizedTokens.split(normalized) ?? [{ text: normalized }]) {
      if ('id' in segment) this.out.push(segment.id);
      else this.encodeWords(segment.text);
    }
  }

  private encodeWords(normalized: string): void {
    splitWords(normalized, (word) => this.pieces.appendTo(this.out, word));
  }

  /** All white space lies within 16 bits. */
  private isSpace(unit: number): boolean {
    const is = this.properties[unit];
    return (is & SPACE) !== 0 && !(this.options.cleanText && is & REMOVED);
  }

  private kindOf(code: number): number {
    const is = this.properties[code];
    if (this.options.cleanText && is & REMOVED) return OTHER;
    if (is & SPACE) return BLANK;
    return is & PUNCTUATION ? MARK : LETTER;
  }
}

function isFirstHalf(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function isSecondHalf(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}
