import { BASES } from './bases.js';
import { porterStem } from './porter.js';
import {
  analyzerName,
  analyzerSpec,
  parseAnalyzerSpec,
  stopwordsOf,
  type AnalyzerOptions,
  type AnalyzerSpec,
} from './spec.js';
import { TermCache } from './term-cache.js';
import { withUnits, type TextUnits } from './text-units.js';
import type { Tokenizer, TokenSink } from './tokenizer.js';

/** Turns text into index terms. The same text gives the same terms, always. */
export interface Analyzer {
  /** For people: the base, and what differs from it. */
  readonly name: string;
  /** For programs: what makes this analyzer, enough to make it again with {@link analyzerFromSpec}. */
  readonly spec: AnalyzerSpec;
  /** The index terms of a text, in order, repeats included. */
  analyze(text: string): string[];
  /**
   * `analyze` for those who number terms: the numbers that `numberOf` gives them, asked once per distinct word and
   * then mostly remembered. Numbers must not be negative.
   */
  numbering(numberOf: (term: string) => number): (text: string) => number[];
  /** The words of a text as a stop list has them: cut and in lower case, none left out, not stemmed. */
  tokenize(text: string): string[];
  /** The index term of such a word; `''` for a stop word. `analyze` is `tokenize`, each word's term, less the `''`. */
  termOf(word: string): string;
}

/** An analyzer that follows one of the three bases, with stop words and stemmer of one's own where wanted. */
export function createAnalyzer(options: AnalyzerOptions): Analyzer {
  return new PipelineAnalyzer(analyzerSpec(options));
}

/** The analyzer that a stored spec describes; throws `corrupt` for anything that is no spec. */
export function analyzerFromSpec(spec: unknown): Analyzer {
  return new PipelineAnalyzer(parseAnalyzerSpec(spec));
}

class PipelineAnalyzer implements Analyzer {
  readonly name: string;
  readonly #tokenize: Tokenizer;
  readonly #wordOf: (token: string) => string;
  readonly #words: Collector<string>;
  readonly #terms: Collector<string>;
  readonly #stopwords: ReadonlySet<string>;
  readonly #stem: (word: string) => string;

  constructor(readonly spec: AnalyzerSpec) {
    const { tokenize, wordOf } = BASES[spec.base];
    this.name = analyzerName(spec);
    this.#tokenize = tokenize;
    this.#stopwords = stopwordsOf(spec);
    this.#stem = spec.stemmer === 'porter' ? porterStem : (word) => word;
    this.#wordOf = wordOf;
    this.#words = new Collector(wordOf, '', QUERY_SLOTS);
    this.#terms = new Collector((token) => this.termOf(wordOf(token)), '', DOCUMENT_SLOTS);
  }

  analyze(text: string): string[] {
    return this.#terms.collect(text, this.#tokenize);
  }

  numbering(numberOf: (term: string) => number): (text: string) => number[] {
    const derive = (token: string) => {
      const term = this.termOf(this.#wordOf(token));
      return term === '' ? NO_NUMBER : numberOf(term);
    };
    const numbers = new Collector(derive, NO_NUMBER, DOCUMENT_SLOTS);
    return (text) => numbers.collect(text, this.#tokenize);
  }

  tokenize(text: string): string[] {
    return this.#words.collect(text, this.#tokenize);
  }

  termOf(word: string): string {
    return this.#stopwords.has(word) ? '' : this.#stem(word);
  }
}

/** About 4 % of the words of mixed English collections miss; half as many slots: 6 %, twice as many: 3 %. */
const DOCUMENT_SLOTS = 1 << 16;
/** Surface words are asked for queries only. */
const QUERY_SLOTS = 1 << 8;

const NO_NUMBER = -1;

/** Collects what tokens become, less those that become nothing. */
class Collector<T> implements TokenSink {
  readonly #cache: TermCache<T>;
  readonly #nothing: T;
  #collected: T[] = [];

  constructor(derive: (token: string) => T, nothing: T, slots: number) {
    this.#cache = new TermCache(derive, nothing, slots);
    this.#nothing = nothing;
  }

  collect(text: string, tokenize: Tokenizer): T[] {
    const collected: T[] = [];
    this.#collected = collected;
    withUnits(text, (units) => tokenize(units, this));
    return collected;
  }

  token(units: TextUnits, start: number, end: number): void {
    const value = this.#cache.of(units, start, end);
    if (value !== this.#nothing) this.#collected.push(value);
  }
}
