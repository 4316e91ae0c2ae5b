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
import { withUnits, type TextUnits, type Tokenize, type TokenSink } from './text-units.js';

/** Turns text into index terms. The same text always gives the same terms. */
export interface Analyzer {
  /** A readable name: the base and its changes. */
  readonly name: string;
  /** The description from which {@link analyzerFromSpec} makes the analyzer again. */
  readonly spec: AnalyzerSpec;
  /** The index terms of a text, in order, with repetitions. */
  analyze(text: string): string[];
  /**
   * An `analyze` that gives numbers in place of terms. `numberOf` is called about once per distinct word, since most
   * results are cached. Numbers must not be negative.
   */
  numbering(numberOf: (term: string) => number): (text: string) => number[];
  /** The lower-cased words of a text before stop words are removed and words are stemmed. */
  tokenize(text: string): string[];
  /** The index term of such a word; `''` for a stop word. */
  termOf(word: string): string;
}

/** The text that a document's terms come from. */
export function indexedText({
  title,
  text,
  searched,
}: {
  readonly title?: string | undefined;
  readonly text: string;
  readonly searched?: string;
}): string {
  return searched ?? (title ? `${title} ${text}` : text);
}

/** Makes an analyzer from a base, with other stop words or another stemmer where given. */
export function createAnalyzer(options: AnalyzerOptions): Analyzer {
  return new PipelineAnalyzer(analyzerSpec(options));
}

/** The analyzer of a stored spec; throws `corrupt` where the spec is not valid. */
export function analyzerFromSpec(spec: unknown): Analyzer {
  return new PipelineAnalyzer(parseAnalyzerSpec(spec));
}

class PipelineAnalyzer implements Analyzer {
  readonly name: string;
  readonly #tokenize: Tokenize;
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

/** Slots of a document's cache. About 4 % of the words of English collections miss it; with half as many slots, 6 %. */
const DOCUMENT_SLOTS = 1 << 16;
/** Slots of the cache of words before stemming, which are needed for queries only. */
const QUERY_SLOTS = 1 << 8;

const NO_NUMBER = -1;

/** Collects the values of a text's tokens, except `nothing`. */
class Collector<T> implements TokenSink {
  readonly #cache: TermCache<T>;
  #collected: T[] = [];

  constructor(
    derive: (token: string) => T,
    private readonly nothing: T,
    slots: number,
  ) {
    this.#cache = new TermCache(derive, nothing, slots);
  }

  collect(text: string, tokenize: Tokenize): T[] {
    const collected: T[] = [];
    this.#collected = collected;
    withUnits(text, (units) => tokenize(units, this));
    return collected;
  }

  token(units: TextUnits, start: number, end: number): void {
    const value = this.#cache.of(units, start, end);
    if (value !== this.nothing) this.#collected.push(value);
  }
}
