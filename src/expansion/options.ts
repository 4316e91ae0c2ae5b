import { BertQeError } from '../common/errors.js';
import { type OptionNames, refuseUnknownOptions } from '../common/known-options.js';
import { DEFAULTS } from './defaults.js';
import type { PassageShape } from './passages.js';
import { halfOverlapping, type WindowShape } from './windows.js';

/** The text that phase two cuts into chunks. */
export type ChunkSource =
  /** The best passages of the top kd documents of phase one, as the authors' code does. */
  | 'best-passage'
  /** The whole text of the top kd documents of phase one, as the paper's prose has it. */
  | 'document'
  /** The best passages of the initial ranking's top kd documents: an ablation of the paper. */
  | 'initial';

export const chunkSources = ['best-passage', 'document', 'initial'] as const satisfies readonly ChunkSource[];

/** The way to the best passage of a document. */
export type PassageChoice =
  /**
   * Of the passages that share enough words with the query, the smallest of the models chooses one, which phase one's model
   * scores; of the kd documents that lead then it scores all.
   */
  | 'cascade'
  /** The model of phase one scores every passage, as in the paper. */
  | 'exhaustive';

export const passageChoices = ['cascade', 'exhaustive'] as const satisfies readonly PassageChoice[];

/** Options of the method. Their defaults are in `DEFAULTS`. */
export interface BertQEOptions {
  /** Feedback documents of phase two (10). */
  readonly kd?: number;
  /** Chunks kept for phase three (3). */
  readonly kc?: number;
  /** m, the words of a chunk; neighbours share m/2 of them, rounded down (50). */
  readonly chunkWords?: number;
  /** The most word pieces of a chunk in phase two (as many as of a passage, 254; the authors' code has 126). */
  readonly chunkPieces?: number | undefined;
  /** Words of a passage; neighbours share half of them, rounded down (100). */
  readonly passageWords?: number;
  /** Words of the title that go in front of every passage; 0 leaves titles out (30). */
  readonly titleWords?: number;
  /** Eq. 5: the share of rel(C,d), 0 to 1 (.3). */
  readonly alpha?: number;
  /** The share of ln M against the initial score, 0 to 1 (.95); 1 where there are no initial scores. */
  readonly beta?: number;
  /** Documents that are re-ranked; those below keep their order beneath them (1000). */
  readonly depth?: number;
  /** The way to the best passages (`cascade`; `exhaustive` in experiments and with the preset `as-published`). */
  readonly passageChoice?: PassageChoice;
  /**
   * Documents that phase one reads with `cascade`: the first ones by β·ln p + (1-β)·I(q,d), where p is what the model that
   * chooses the passages says of the passage that shares most words with the query; the others keep that order beneath them
   * (2·√(documents · `topK`), with kd in place of a smaller `topK`; all without `topK`, with `exhaustive` and with the chunk source
   * `initial`).
   */
  readonly phaseOneDepth?: number | undefined;
  /**
   * Documents that phase three reads: the first ones by β·ln rel(q,d) + (1-β)·I(q,d); the others keep that order beneath
   * them (of `topK` twice as many, at least 20; all without `topK` or with `passageChoice: 'exhaustive'`, as in the paper).
   */
  readonly expansionDepth?: number | undefined;
  /** The text that is cut into chunks (`best-passage`). */
  readonly chunkSource?: ChunkSource;
  /** Leaves rel(q,d) out of Eq. 5: an ablation of the paper (false). */
  readonly dropQueryScore?: boolean;
  /** Phases two and three; without them this is the MaxP re-ranker of the paper's baselines (true). */
  readonly expansion?: boolean;
  /**
   * Pairs that a round of exact top-k or of a deadline hands to the scorer at a time: enough to fill its batches,
   * few enough for the bounds to act between rounds (256; more on a GPU).
   */
  readonly roundPairs?: number;
}

/** Options of phases one and two, which do not depend on α and β. */
export type FeedbackMethod = Required<
  Pick<BertQEOptions, 'kd' | 'kc' | 'chunkWords' | 'passageWords' | 'titleWords' | 'depth'>
>;

/** The options, checked and complete. */
export interface Settings extends Required<
  Omit<BertQEOptions, 'chunkWords' | 'passageWords' | 'titleWords' | 'dropQueryScore'>
> {
  readonly chunk: WindowShape;
  readonly passage: PassageShape;
}

/** The names of the method's options. */
export const METHOD_OPTIONS: OptionNames<BertQEOptions> = {
  kd: true,
  kc: true,
  chunkWords: true,
  chunkPieces: true,
  passageWords: true,
  titleWords: true,
  alpha: true,
  beta: true,
  depth: true,
  passageChoice: true,
  phaseOneDepth: true,
  expansionDepth: true,
  chunkSource: true,
  dropQueryScore: true,
  expansion: true,
  roundPairs: true,
};

/** Checks the options and adds the defaults. */
export function settingsFrom(options: BertQEOptions = {}): Settings {
  refuseUnknownOptions('BERT-QE', options, METHOD_OPTIONS);
  const alpha = share('alpha', options.alpha ?? DEFAULTS.alpha);
  return {
    kd: count('kd', options.kd ?? DEFAULTS.kd),
    kc: count('kc', options.kc ?? DEFAULTS.kc),
    chunk: halfOverlapping(count('chunkWords', options.chunkWords ?? DEFAULTS.chunkWords)),
    chunkPieces: optionalCount('chunkPieces', options.chunkPieces),
    passage: {
      ...halfOverlapping(count('passageWords', options.passageWords ?? DEFAULTS.passageWords)),
      titleWords: count('titleWords', options.titleWords ?? DEFAULTS.titleWords, 0),
    },
    // Eq. 5 without rel(q,d) is rel(C,d) alone.
    alpha: options.dropQueryScore ? 1 : alpha,
    beta: share('beta', options.beta ?? DEFAULTS.beta),
    depth: count('depth', options.depth ?? DEFAULTS.depth),
    passageChoice: oneOf('passageChoice', passageChoices, options.passageChoice ?? DEFAULTS.passageChoice),
    phaseOneDepth: optionalCount('phaseOneDepth', options.phaseOneDepth),
    expansionDepth: optionalCount('expansionDepth', options.expansionDepth),
    chunkSource: oneOf('chunkSource', chunkSources, options.chunkSource ?? 'best-passage'),
    expansion: options.expansion ?? true,
    roundPairs: count('roundPairs', options.roundPairs ?? 256),
  };
}

function oneOf<T extends string>(name: string, choices: readonly T[], value: T): T {
  if (choices.includes(value)) return value;
  throw badOption(`${name} must be one of ${choices.join(', ')}, not ${JSON.stringify(value)}`);
}

/** Checks a whole number. */
export function count(name: string, value: number, least = 1): number {
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw badOption(`${name} must be a whole number of at least ${least}, not ${String(value)}`);
}

function optionalCount(name: string, value: number | undefined): number | undefined {
  return value === undefined ? undefined : count(name, value);
}

/** Checks a number between 0 and 1. */
export function share(name: string, value: number): number {
  if (value >= 0 && value <= 1) return value;
  throw badOption(`${name} must be between 0 and 1, not ${String(value)}`);
}

/** A mistake in the options. */
export function badOption(message: string): BertQeError {
  return new BertQeError('usage', `BERT-QE: ${message}.`);
}
