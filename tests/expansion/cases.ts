import fc from 'fast-check';
import { BertQE, type BertQEOptions } from '../../src/expansion/index.js';
import { fakeModel, FakeScorer, spreads, type Spread } from './fake-scorer.js';
import { naiveRerank, type NaiveDocument, type NaiveModels, type NaiveOptions } from './naive.js';

/** A random collection, random models and random options. */
export interface Case {
  readonly documents: NaiveDocument[];
  readonly options: Omit<NaiveOptions, 'oneModel'>;
  readonly seed: number;
  readonly spread: Spread;
  /** True where one model serves all phases, as in BERT-QE-LLL. */
  readonly oneModel: boolean;
}

const vocabulary = ['wing', 'flow', 'heat', 'shock', 'layer', 'plate', 'mach', 'jet', 'drag', 'lift'];

/** Few words and short texts, so that empty documents, duplicates and ties are common. */
const text = (words: number) =>
  fc
    .array(fc.constantFrom(...vocabulary), { maxLength: words })
    .chain((list) => fc.constantFrom(list.join(' '), list.join('  \n '), ` ${list.join('\t')} `));

const documentWith = (score: fc.Arbitrary<number | undefined>) =>
  fc
    .record({
      id: fc.integer({ min: 0, max: 60 }).map((n) => `d${n}`),
      title: fc.option(fc.oneof(fc.constantFrom('', '.', ' '), text(4)), { nil: undefined }),
      text: text(30),
      score,
    })
    .map(({ id, title, text, score }): NaiveDocument => ({
      id,
      text,
      ...(title === undefined ? {} : { title }),
      ...(score === undefined ? {} : { score }),
    }));

// Shares next to nothing make denormal numbers, whose last bits depend on the order of multiplication.
const share = fc.oneof(fc.constantFrom(0, 1, 0.4, 0.9), fc.double({ min: 1e-9, max: 1, noNaN: true }));

const initialScore = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.double({ min: -20, max: 40, noNaN: true }));

export const caseArbitrary = (most = 24): fc.Arbitrary<Case> =>
  fc.record({
    documents: fc.oneof(
      fc.array(documentWith(initialScore), { maxLength: most }),
      fc.array(documentWith(fc.constant(undefined)), { maxLength: most }),
    ),
    options: fc.record({
      kd: fc.integer({ min: 1, max: 12 }),
      kc: fc.integer({ min: 1, max: 12 }),
      chunkWords: fc.integer({ min: 1, max: 8 }),
      passageWords: fc.integer({ min: 1, max: 20 }),
      titleWords: fc.integer({ min: 0, max: 3 }),
      alpha: share,
      beta: share,
      depth: fc.integer({ min: 1, max: most + 5 }),
      phaseOneDepth: fc.oneof({ weight: 4, arbitrary: fc.constant(most) }, fc.integer({ min: 1, max: most })),
      expansionDepth: fc.oneof(fc.constant(most), fc.integer({ min: 1, max: most })),
      passageChoice: fc.constantFrom('cascade' as const, 'exhaustive' as const),
      chunkSource: fc.constantFrom('best-passage' as const, 'document' as const, 'initial' as const),
      dropQueryScore: fc.boolean(),
      expansion: fc.oneof({ weight: 5, arbitrary: fc.constant(true) }, fc.constant(false)),
    }),
    seed: fc.integer(),
    spread: fc.constantFrom(...spreads),
    oneModel: fc.boolean(),
  });

export const query = 'shock wave on a plate';

/** The case for the library: a BertQE on fake scorers, which can be asked what they were asked. */
export function libraryOf(testCase: Case, options: BertQEOptions = {}) {
  const models = modelsOf(testCase);
  const phaseOne = new FakeScorer(models.phaseOne);
  const other = (name: keyof NaiveModels): FakeScorer =>
    testCase.oneModel ? phaseOne : new FakeScorer(models[name]);
  const scorers = {
    bestPassage: other('bestPassage'),
    phaseOne,
    phaseTwo: other('phaseTwo'),
    phaseThree: other('phaseThree'),
  };
  return { scorers, bertQe: new BertQE(scorers, { ...testCase.options, ...options }) };
}

/** The case for the naive implementation. */
export function naiveOf(testCase: Case) {
  return naiveRerank(query, testCase.documents, modelsOf(testCase), {
    ...testCase.options,
    oneModel: testCase.oneModel,
  });
}

function modelsOf({ seed, spread, oneModel }: Case): NaiveModels {
  const model = (i: number) => fakeModel(oneModel ? seed : seed + i, spread);
  return { bestPassage: model(1), phaseOne: model(0), phaseTwo: model(2), phaseThree: model(3) };
}
