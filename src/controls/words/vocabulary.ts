import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openCheckpoint, writeSafetensors } from '../../bert/checkpoint/index.js';
import { closing } from '../../common/closing.js';
import { writeFileAtomic } from '../../common/atomic.js';
import { corruptError } from '../../common/errors.js';
import { hashJson } from '../../common/hash.js';
import { systemCode } from '../../common/io-errors.js';
import {
  type Analyzer,
  analyzerFromSpec,
  type AnalyzerSpec,
  type Index,
  indexedText,
} from '../../retrieval/index.js';
import { type ProgressCall, type SkipGramSettings, skipGram } from './skip-gram.js';

/** The index terms of a collection, and how many documents have them. */
export interface Terms {
  readonly analyzer: Analyzer;
  /** N: documents of the collection. */
  readonly documents: number;
  /** Number of a term; its row of vectors. */
  readonly numbers: ReadonlyMap<string, number>;
  readonly documentFrequencies: ArrayLike<number>;
  /** The length of a term's vector. */
  readonly dimensions: number;
}

/** The index terms of a collection with their vectors. */
export interface Vocabulary extends Terms {
  /** `[terms, dimensions]`, of length 1 or, for terms without a vector, 0. */
  readonly vectors: Float32Array;
}

const tensorName = 'word vectors';

/**
 * The vocabulary of an index with word vectors, which are trained on its documents when they are first needed. They are
 * stored with the data of the index: a new index has new ones.
 */
export async function vocabularyOf(
  index: Index,
  settings: SkipGramSettings,
  call: ProgressCall = {},
): Promise<Vocabulary> {
  const { terms, documents } = index.statistics;
  const facts = Array.from({ length: terms }, (_, number) => index.termByNumber(number));
  const numbers = new Map(facts.map(({ name, number }) => [name, number]));
  const file = join(
    index.folder,
    index.manifest.data,
    `word-vectors-${hashJson('word vectors 1', { ...settings }).slice(0, 12)}.safetensors`,
  );
  const vectors = existsSync(file) ? await readVectors(file, terms, settings.dimensions) : await train();
  return {
    analyzer: index.analyzer,
    documents,
    numbers,
    documentFrequencies: facts.map(({ documentFrequency }) => documentFrequency),
    dimensions: settings.dimensions,
    vectors: directions(vectors, settings.dimensions),
  };

  async function train(): Promise<Float32Array> {
    const numbersOf = index.analyzer.numbering((term) => numbers.get(term) ?? terms);
    const trained = await skipGram(
      {
        counts: Uint32Array.from([...facts.map(({ collectionFrequency }) => collectionFrequency), 0]),
        documents,
        wordsOf: (document) => numbersOf(indexedText(index.document(document))),
      },
      settings,
      call,
    );
    const found = trained.subarray(0, terms * settings.dimensions);
    try {
      await writeVectors(file, found, settings.dimensions);
    } catch (error) {
      // An index that cannot be written to is used as it is; the vectors are made again next time.
      const { cause = error } = error as { cause?: unknown };
      if (!['EACCES', 'EPERM', 'EROFS'].includes(systemCode(cause) ?? '')) throw error;
    }
    return found;
  }
}

/** Vectors divided by their lengths. */
function directions(vectors: Float32Array, dimensions: number): Float32Array {
  const scaled = new Float32Array(vectors.length);
  for (let from = 0; from < vectors.length; from += dimensions) {
    let square = 0;
    for (let i = 0; i < dimensions; i++) square += vectors[from + i] ** 2;
    if (square === 0) continue;
    const factor = 1 / Math.sqrt(square);
    for (let i = 0; i < dimensions; i++) scaled[from + i] = vectors[from + i] * factor;
  }
  return scaled;
}

function writeVectors(file: string, values: Float32Array, dimensions: number): Promise<void> {
  const shape = [values.length / dimensions, dimensions];
  return writeSafetensors(file, [{ name: tensorName, shape, values }]);
}

async function readVectors(file: string, terms: number, dimensions: number): Promise<Float32Array> {
  return closing(openCheckpoint(file), async (checkpoint) => {
    const info = checkpoint.tensors.get(tensorName);
    if (info?.shape.join() !== [terms, dimensions].join()) {
      throw corruptError(`${file} does not hold the word vectors of this vocabulary; delete it.`);
    }
    return await checkpoint.read(tensorName);
  });
}

/** The terms of a vocabulary as they are written. */
interface WrittenTerms {
  readonly analyzer: AnalyzerSpec;
  readonly documents: number;
  readonly dimensions: number;
  readonly terms: readonly string[];
  readonly documentFrequencies: readonly number[];
}

const termsFile = 'terms.json';
const vectorsFile = 'word-vectors.safetensors';

/** Writes a vocabulary into the folder of a model, which then needs no index. */
export async function writeVocabulary(folder: string, vocabulary: Vocabulary): Promise<void> {
  await writeTerms(folder, vocabulary);
  await writeVectors(join(folder, vectorsFile), vocabulary.vectors, vocabulary.dimensions);
}

/** Writes the terms alone, for a model that trains vectors of its own. */
export async function writeTerms(
  folder: string,
  { analyzer, documents, numbers, documentFrequencies, dimensions }: Terms,
): Promise<void> {
  const written: WrittenTerms = {
    analyzer: analyzer.spec,
    documents,
    dimensions,
    terms: [...numbers.keys()],
    documentFrequencies: Array.from(documentFrequencies),
  };
  await writeFileAtomic(join(folder, termsFile), `${JSON.stringify(written)}\n`);
}

export async function readVocabulary(folder: string): Promise<Vocabulary> {
  const terms = await readTerms(folder);
  const vectors = await readVectors(join(folder, vectorsFile), terms.numbers.size, terms.dimensions);
  return { ...terms, vectors };
}

export async function readTerms(folder: string): Promise<Terms> {
  const file = join(folder, termsFile);
  let written: WrittenTerms;
  try {
    written = JSON.parse(await readFile(file, 'utf8')) as WrittenTerms;
  } catch (cause) {
    throw corruptError(`${file} cannot be read; train the model anew.`, cause);
  }
  const { analyzer, documents, dimensions, terms, documentFrequencies } = written;
  return {
    analyzer: analyzerFromSpec(analyzer),
    documents,
    numbers: new Map(terms.map((term, number) => [term, number])),
    documentFrequencies,
    dimensions,
  };
}
