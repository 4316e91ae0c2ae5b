import { type BertQeError, corruptError, usageError } from '../../common/errors.js';
import {
  analyzerBases,
  BASES,
  lowerCase,
  stemmerNames,
  type AnalyzerBase,
  type StemmerName,
} from './bases.js';

/** The options of an analyzer: a base, and changes to it. */
export interface AnalyzerOptions {
  readonly base: AnalyzerBase;
  /**
   * Stop words in place of the base's list, compared with the lower-cased words before stemming; `none` keeps every
   * word. Default: the base's list.
   */
  readonly stopwords?: Iterable<string> | 'none';
  /** The stemmer. Default: the base's, which is `porter` for `anserini` and `terrier`. */
  readonly stemmer?: StemmerName;
}

/**
 * The full description of an analyzer as plain JSON. An index stores it and analyses queries with it. Equal analyzers
 * have equal specs.
 */
export interface AnalyzerSpec {
  readonly base: AnalyzerBase;
  /** `default` is the base's list; another list is sorted, in lower case, without duplicates. */
  readonly stopwords: 'default' | 'none' | readonly string[];
  readonly stemmer: StemmerName;
}

/** The spec of an analyzer with these options; throws `usage` where they are not valid. */
export function analyzerSpec(options: AnalyzerOptions): AnalyzerSpec {
  const base = oneOf(analyzerBases, options.base, 'analyzer', 'usage');
  const stemmer = oneOf(stemmerNames, options.stemmer ?? BASES[base].stemmer, 'stemmer', 'usage');
  const own = options.stopwords;
  if (typeof own === 'string' && own !== 'none') {
    throw usageError(`Stop words are a list of words or 'none', not the text ${JSON.stringify(own)}.`);
  }
  if (typeof own === 'object') return { base, stopwords: canonical(own, BASES[base].stopwords), stemmer };
  const none = own === 'none' || BASES[base].stopwords.size === 0;
  return { base, stopwords: none ? 'none' : 'default', stemmer };
}

/** Checks a stored spec; throws `corrupt` where it is not valid. */
export function parseAnalyzerSpec(value: unknown): AnalyzerSpec {
  if (typeof value !== 'object' || value === null) {
    throw corrupt(`the analyzer is ${JSON.stringify(value)}, expected an object`);
  }
  const { base, stopwords, stemmer } = value as Record<string, unknown>;
  const known = {
    base: oneOf(analyzerBases, base, 'analyzer', 'corrupt'),
    stemmer: oneOf(stemmerNames, stemmer, 'stemmer', 'corrupt'),
  };
  if (stopwords === 'default' || stopwords === 'none') return { ...known, stopwords };
  if (Array.isArray(stopwords) && stopwords.every((word) => typeof word === 'string')) {
    return { ...known, stopwords };
  }
  throw corrupt(
    `its stop words are ${JSON.stringify(stopwords)}, expected 'default', 'none' or a list of words`,
  );
}

/** The name of an analyzer: the base and its changes, such as `terrier, 12 own stop words, no stemming`. */
export function analyzerName(spec: AnalyzerSpec): string {
  const { stopwords, stemmer } = BASES[spec.base];
  const parts: string[] = [spec.base];
  if (typeof spec.stopwords === 'object') parts.push(`${spec.stopwords.length} own stop words`);
  else if (spec.stopwords === 'none' && stopwords.size > 0) parts.push('no stop words');
  if (spec.stemmer !== stemmer)
    parts.push(spec.stemmer === 'none' ? 'no stemming' : `${spec.stemmer} stemming`);
  return parts.join(', ');
}

export function stopwordsOf(spec: AnalyzerSpec): ReadonlySet<string> {
  if (spec.stopwords === 'none') return new Set();
  return spec.stopwords === 'default' ? BASES[spec.base].stopwords : new Set(spec.stopwords);
}

/** The stop words of a spec; a list that equals `none` or the base's list is written as such. */
function canonical(own: Iterable<string>, standard: ReadonlySet<string>): AnalyzerSpec['stopwords'] {
  const words = new Set<string>();
  for (const word of own) {
    const trimmed = typeof word === 'string' ? word.trim() : '';
    if (trimmed === '' || /\s/.test(trimmed)) {
      throw usageError(`${JSON.stringify(word)} is not a stop word; give a list of single words.`);
    }
    words.add(lowerCase(trimmed));
  }
  if (words.size === 0) return 'none';
  if (words.size === standard.size && [...words].every((word) => standard.has(word))) return 'default';
  return [...words].sort();
}

function oneOf<T extends string>(
  known: readonly T[],
  value: unknown,
  what: string,
  code: 'usage' | 'corrupt',
): T {
  const found = known.find((name) => name === value);
  if (found !== undefined) return found;
  const problem = `there is no ${what} ${JSON.stringify(value)}, expected one of: ${known.join(', ')}`;
  throw code === 'corrupt' ? corrupt(problem) : usageError(`${problem[0].toUpperCase()}${problem.slice(1)}.`);
}

function corrupt(problem: string): BertQeError {
  return corruptError(`What is stored about text analysis is damaged: ${problem}; build the index again.`);
}
