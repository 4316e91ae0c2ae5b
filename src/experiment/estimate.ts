import { countOf, encoderFlops, encoderSizes, type SizeLetter } from '../bert/index.js';
import { sampleDocuments } from '../collection/index.js';
import { halfOverlapping, windowSpans, countWords } from '../expansion/index.js';
import type { ExperimentFile } from './file/schema.js';
import type { Inputs } from './inputs.js';
import { type RerankingSystem, scoringSizesOf, sizesOf } from './systems.js';
import { trainingTargets } from './training-targets.js';

type Phase = 'best passages' | 'phase one' | 'phase two' | 'phase three' | 'training';

/** Pairs of texts that are put to the models of one size in one phase; pairs that systems share count once. */
interface PairsOfWords {
  readonly size: SizeLetter;
  readonly phase: Phase;
  readonly pairs: number;
  readonly wordsPerPair: number;
}

/** The work of models of one size in one phase, over all systems, folds and queries. */
interface EstimatedWork extends Omit<PairsOfWords, 'wordsPerPair'> {
  readonly flops: number;
  /** Seconds on one NVIDIA H200 in fp16; undefined for training, which was not measured there. */
  readonly seconds: number | undefined;
}

/** The cost of a whole experiment, from the sizes that its file names and a sample of documents. */
export interface Estimate {
  readonly work: readonly EstimatedWork[];
  /** Documents of the sample, and the passages of one of them. */
  readonly sampled: number;
  readonly passagesPerDocument: number;
  readonly scoreBytes: number;
  /** Bytes of the indexes; undefined where the number of documents is not known (`collection.count`). */
  readonly indexBytes: number | undefined;
  /** Bytes of the models that are made here: by training, or of archives. */
  readonly modelBytes: number;
}

/**
 * Useful TFLOP/s of the whole scorer on an NVIDIA H200 in fp16 (docs/benchmarks-scoring.md). M was not measured: the
 * geometric mean of S and B.
 */
const measuredTeraflops: Readonly<Record<SizeLetter, number>> = {
  T: 37.5,
  S: 164.8,
  M: 246,
  B: 367.9,
  L: 440.6,
};

/** Word pieces of a word in English text, and special tokens of a pair. */
const piecesPerWord = 1.35;
const specialTokens = 3;

/** A stored score: four bytes in base64. A record of a document in a system: its id and three numbers. */
const bytesPerPair = 5.4;
const bytesPerRecord = 75;

/** Bytes of an index, which has the texts too, for a byte of text (1.5 of Cranfield's). */
const indexShare = 1.5;

export async function estimateCost(
  experiment: ExperimentFile,
  systems: readonly RerankingSystem[],
  { documents, queries, folds }: Inputs,
): Promise<Estimate> {
  const { collection, method, depth, models, training } = experiment;
  const { format, leaveOut, titles } = collection;
  const sample = await sampleDocuments(documents, { format, leaveOut });
  const shape = halfOverlapping(method.passageWords);
  const words = sample.map(
    ({ title = '', text }) => countWords(text) + (titles === 'in-text' ? countWords(title) : 0),
  );
  const passagesPerDocument = mean(words.map((count) => Math.max(1, windowSpans(count, shape).length)));
  const titleWords = mean(
    sample.map(({ title = '' }) => (titles === 'apart' ? Math.min(method.titleWords, countWords(title)) : 0)),
  );
  const passageWords = mean(words.map((count) => Math.min(count, method.passageWords))) + titleWords;
  const queryWords = mean([...queries.values()].map(({ text }) => countWords(text)));

  const isPerFold = (size: SizeLetter): boolean => {
    const model = models[size];
    return typeof training === 'object' || (typeof model === 'object' && model.fineTuned.includes('{fold}'));
  };
  const tested = folds.flatMap(({ valid, test }) => [...valid, ...test]);
  const contexts = (size: SizeLetter): number => (isPerFold(size) ? tested.length : new Set(tested).size);

  const work = new Map<string, PairsOfWords>();
  const add = (size: SizeLetter, phase: Phase, pairs: number, wordsPerPair: number): void => {
    const key = `${phase} ${size}`;
    const before = work.get(key)?.pairs ?? 0;
    work.set(key, { size, phase, pairs: before + pairs, wordsPerPair });
  };
  const seen = new Set<string>();
  const isNew = (...key: readonly unknown[]): boolean => {
    const before = seen.size;
    return seen.add(key.join(' ')).size > before;
  };
  /** Chunks that are scored already, by everything that they depend on. */
  const scoredChunks = new Map<string, number>();
  const allQueries = new Set(folds.flatMap(({ train, valid, test }) => [...train, ...valid, ...test]));
  for (const { variant, method: settings } of systems) {
    const { phaseOne, expansion } = variant;
    const passageQueries = typeof training === 'object' ? allQueries.size : new Set(tested).size;
    if (isNew(phaseOne)) {
      add(phaseOne, 'best passages', passageQueries * depth * passagesPerDocument, queryWords + passageWords);
      add(phaseOne, 'phase one', contexts(phaseOne) * depth, queryWords + passageWords);
    }
    if (!expansion) continue;
    const { kd, kc, chunkWords, chunkSource } = settings;
    const chunks = windowSpans(Math.round(passageWords), halfOverlapping(chunkWords)).length;
    const chosen = [phaseOne, expansion.phaseTwo, chunkWords, chunkSource];
    if (isNew(...chosen)) {
      add(expansion.phaseTwo, 'phase two', contexts(phaseOne) * kd * chunks, queryWords + chunkWords);
    }
    const key = [...chosen, expansion.phaseThree].join(' ');
    const more = Math.max(0, kc - (scoredChunks.get(key) ?? 0));
    scoredChunks.set(key, Math.max(kc, scoredChunks.get(key) ?? 0));
    const ranked = Math.max(contexts(phaseOne), contexts(expansion.phaseThree));
    if (more > 0) add(expansion.phaseThree, 'phase three', ranked * depth * more, chunkWords + passageWords);
  }
  if (typeof training === 'object') {
    const examples =
      folds.reduce((sum, { train }) => sum + train.length, 0) * (training.depth ?? experiment.retrieve);
    for (const { size, phaseThree } of trainingTargets(training.on, systems, experiment)) {
      const pairs =
        training.steps === undefined
          ? examples * (training.epochs ?? 2) * (phaseThree ? phaseThree.kc : 1)
          : training.steps * (training.batch ?? 32) * folds.length;
      add(size, 'training', pairs, queryWords + passageWords);
    }
  }
  const rows = [...work.values()].map(withFlops);
  const scored = rows.filter(({ phase }) => phase !== 'training').reduce((sum, { pairs }) => sum + pairs, 0);
  const textBytes = mean(
    sample.map(({ title = '', text }) => Buffer.byteLength(title) + Buffer.byteLength(text)),
  );
  const analyses = experiment.index.folder === undefined ? (experiment.index.analyzer === 'auto' ? 2 : 1) : 0;
  return {
    work: rows,
    sampled: sample.length,
    passagesPerDocument,
    scoreBytes: scored * bytesPerPair + systems.length * tested.length * depth * bytesPerRecord,
    indexBytes:
      collection.count === undefined && analyses > 0
        ? undefined
        : analyses * (collection.count ?? 0) * textBytes * indexShare,
    modelBytes: modelBytesOf(experiment, systems, folds.length),
  };
}

function withFlops({ size, phase, pairs, wordsPerPair }: PairsOfWords): EstimatedWork {
  const length = Math.round(wordsPerPair * piecesPerWord + specialTokens);
  const forward = pairs * encoderFlops(encoderSizes[size], countOf([length]));
  // The backward pass costs twice the forward one.
  if (phase === 'training') return { size, phase, pairs, flops: 3 * forward, seconds: undefined };
  return { size, phase, pairs, flops: forward, seconds: forward / (measuredTeraflops[size] * 1e12) };
}

/** Weights of four bytes of every model that comes of an archive or of training. */
function modelBytesOf(
  { models, training }: ExperimentFile,
  systems: readonly RerankingSystem[],
  folds: number,
): number {
  const scoring = scoringSizesOf(systems);
  let parameters = 0;
  for (const size of sizesOf(systems)) {
    const model = models[size] ?? size;
    const { general, fineTuned } = typeof model === 'object' ? model : { general: model, fineTuned: model };
    const isTrained = typeof training === 'object';
    const paths = new Set(isTrained ? [general] : [general, fineTuned]);
    for (const path of paths) {
      if (path.endsWith('.zip')) parameters += parametersOf(size) * (path.includes('{fold}') ? folds : 1);
    }
    if (isTrained && scoring.has(size)) parameters += parametersOf(size) * folds;
  }
  return 4 * parameters;
}

/** Parameters of a size with the vocabulary of uncased English BERT and 512 positions. */
function parametersOf(size: SizeLetter): number {
  const { layers, hidden, intermediate } = encoderSizes[size];
  const layer = 4 * hidden ** 2 + 2 * hidden * intermediate + 9 * hidden + intermediate;
  return (30_522 + 512 + 2 + 2) * hidden + layers * layer + hidden ** 2 + 3 * hidden;
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
