import { hashJson } from '../../common/hash.js';
import { BertQeError } from '../../common/errors.js';
import { BASES } from './bases.js';
import { lowerCase } from './lower-case.js';

/** The names of all bases. */
export const analyzerBases = ['anserini', 'terrier', 'plain'] as const;
/** The names of all stemmers. */
export const stemmerNames = ['porter', 'none'] as const;

/**
 * Which system's analysis to follow: `anserini` (Lucene's standard tokenizer, possessives, 33 stop words, Porter),
 * `terrier` (letters and digits of ASCII, its long stop list, Porter) or `plain` (lower-cased words, nothing else).
 */
export type AnalyzerBase = (typeof analyzerBases)[number];

export type StemmerName = (typeof stemmerNames)[number];

/** How text becomes index terms: whose analysis, and what of it to change. */
export interface AnalyzerOptions {
  readonly base: AnalyzerBase;
  /**
   * Words to leave out instead of the base's own list, compared with the words of the text before stemming, in lower
   * case; `none` keeps every word. Default: the base's list.
   */
  readonly stopwords?: Iterable<string> | 'none';
  /** Default: the base's, which is `porter` for `anserini` and `terrier`. */
  readonly stemmer?: StemmerName;
}

/**
 * Everything that decides what an analyzer makes of a text, as plain JSON: an index keeps it, and reads its queries
 * with the same. Equal analyzers have equal specs.
 */
export interface AnalyzerSpec {
  readonly base: AnalyzerBase;
  /** `default` is the base's own list; a list of one's own is sorted, in lower case, without repeats. */
  readonly stopwords: 'default' | 'none' | readonly string[];
  readonly stemmer: StemmerName;
}

/** Raised when the terms made of some text change, so that an index knows it was built by other rules. */
const RULES_VERSION = 1;

/** The spec of an analyzer with these options; throws `usage` where they make no sense. */
export function analyzerSpec(options: AnalyzerOptions): AnalyzerSpec {
  const base = oneOf(analyzerBases, options.base, 'analyzer', 'usage');
  const stemmer = oneOf(stemmerNames, options.stemmer ?? BASES[base].stemmer, 'stemmer', 'usage');
  const own = options.stopwords;
  if (typeof own === 'string' && own !== 'none') {
    throw new BertQeError(
      'usage',
      `Stop words are a list of words or 'none', not the text ${JSON.stringify(own)}.`,
    );
  }
  if (typeof own === 'object') return { base, stopwords: canonical(own, BASES[base].stopwords), stemmer };
  const none = own === 'none' || BASES[base].stopwords.size === 0;
  return { base, stopwords: none ? 'none' : 'default', stemmer };
}

/** Checks a spec that was read back from somewhere; throws `corrupt` where it is none. */
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

/**
 * Sixteen hexadecimal digits that are equal for analyzers that make the same terms of every text, on any machine: a
 * digest of the rules' version, the base, the stop words themselves and the stemmer.
 */
export function analyzerFingerprint(spec: AnalyzerSpec): string {
  const stopwords = [...stopwordsOf(spec)].sort();
  return hashJson(RULES_VERSION, spec.base, stopwords, spec.stemmer).slice(0, 16);
}

/** `terrier`, or with what differs from it: `terrier, 12 own stop words, no stemming`. */
export function analyzerName(spec: AnalyzerSpec): string {
  const { stopwords, stemmer } = BASES[spec.base];
  const parts: string[] = [spec.base];
  if (typeof spec.stopwords === 'object') parts.push(`${spec.stopwords.length} own stop words`);
  else if (spec.stopwords === 'none' && stopwords.size > 0) parts.push('no stop words');
  if (spec.stemmer !== stemmer)
    parts.push(spec.stemmer === 'none' ? 'no stemming' : `${spec.stemmer} stemming`);
  return parts.join(', ');
}

/** The words an analyzer with this spec leaves out. */
export function stopwordsOf(spec: AnalyzerSpec): ReadonlySet<string> {
  if (spec.stopwords === 'none') return new Set();
  return spec.stopwords === 'default' ? BASES[spec.base].stopwords : new Set(spec.stopwords);
}

/** A list of one's own that says the same as `none` or as the base's list is written so. */
function canonical(own: Iterable<string>, standard: ReadonlySet<string>): AnalyzerSpec['stopwords'] {
  const words = new Set<string>();
  for (const word of own) {
    const trimmed = typeof word === 'string' ? word.trim() : '';
    if (trimmed === '' || /\s/.test(trimmed)) {
      throw new BertQeError(
        'usage',
        `${JSON.stringify(word)} is not a stop word; give a list of single words.`,
      );
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
  throw code === 'corrupt'
    ? corrupt(problem)
    : new BertQeError('usage', `${problem[0]!.toUpperCase()}${problem.slice(1)}.`);
}

function corrupt(problem: string): BertQeError {
  return new BertQeError(
    'corrupt',
    `What is stored about text analysis is damaged: ${problem}; build the index again.`,
  );
}
