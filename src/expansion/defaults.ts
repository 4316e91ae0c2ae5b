/** The numbers of the method as the paper has them (section 3.5). */
export const PUBLISHED = {
  /** Feedback documents of phase two. */
  kd: 10,
  /** Chunks kept for phase three. */
  kc: 10,
  /** m, the words of a chunk. */
  chunkWords: 10,
  /** Words of a passage. */
  passageWords: 100,
  /** Words of the title in front of every passage. */
  titleWords: 30,
  /** Documents that are re-ranked. */
  depth: 1000,
  /** The way to the best passages. */
  passageChoice: 'exhaustive',
} as const;

/** Further numbers of the authors' code: α and β that most folds chose, and the word pieces of a chunk in phase two. */
export const AS_PUBLISHED = { ...PUBLISHED, alpha: 0.4, beta: 0.9, chunkPieces: 126 } as const;

/**
 * The numbers of the method where none are given. kc, m, α, β and the choice of passages suit the models of the package and
 * were chosen on development collections (docs/models.md, docs/benchmarks-expansion.md); the others are the paper's, whose
 * folds mostly chose α = .4 and β = .9.
 */
export const DEFAULTS = {
  ...PUBLISHED,
  kc: 3,
  chunkWords: 50,
  passageChoice: 'cascade',
  /** Share of rel(C,d) in Eq. 5. */
  alpha: 0.3,
  /** Share of ln M(q,d) against the initial score. */
  beta: 0.95,
  /** Models of the three phases. */
  models: 'SST',
} as const;

/**
 * The numbers of Birch where none are given. They suit probabilities of the package's model S and were chosen on
 * development collections (docs/birch.md).
 */
export const BIRCH_DEFAULTS = {
  /** Share of the initial score. */
  alpha: 0.02,
  /** Weight of the second-best sentence. */
  beta: 0.1,
  /** Weight of the third-best sentence. */
  gamma: 0,
  /** The model that scores sentences. */
  model: 'S',
} as const;
