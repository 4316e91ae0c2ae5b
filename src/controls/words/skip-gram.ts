import { throwIfAborted } from '../../common/errors.js';
import { TimeSlice } from '../../common/yield.js';
import { Random } from '../../training/index.js';

/** The settings of word vectors. */
export interface SkipGramSettings {
  /** Length of a vector. */
  readonly dimensions: number;
  /** The most words on each side of a word that it is to predict; the number is drawn anew for every word. */
  readonly window: number;
  /** Random words that each predicted word is told from. */
  readonly negatives: number;
  readonly epochs: number;
  /** Rarer words have no vector. */
  readonly minimumCount: number;
  /** Words with a larger share of the text are left out at random. */
  readonly subsampling: number;
  readonly learningRate: number;
  readonly seed: number;
}

export const skipGramDefaults: SkipGramSettings = {
  dimensions: 100,
  window: 5,
  negatives: 5,
  epochs: 5,
  minimumCount: 5,
  subsampling: 1e-3,
  learningRate: 0.025,
  seed: 1,
};

/** The settings as part of the configuration of a training. */
export function vectorConfiguration(settings: SkipGramSettings): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [`vectors: ${name}`, value]));
}

/** The words of a collection by number, with their occurrences. */
export interface WordCounts {
  /** Occurrences of each word. */
  readonly counts: Uint32Array;
  readonly documents: number;
  /** The words of a document in order. */
  wordsOf(document: number): ArrayLike<number>;
}

/** How long work is stopped and watched. */
export interface ProgressCall {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/** The size of the table from which random words are drawn. */
const tableSize = 1 << 20;

/**
 * Word vectors by skip-gram with negative sampling (Mikolov et al., 2013): a word's vector is trained to tell the words
 * near it from random ones. One thread and one seed, so equal inputs give equal vectors. Gives `[words, dimensions]`;
 * rare words have zeros.
 */
export async function skipGram(
  { counts, documents, wordsOf }: WordCounts,
  settings: SkipGramSettings,
  { signal, onProgress }: ProgressCall = {},
): Promise<Float32Array<ArrayBuffer>> {
  const { dimensions, window, negatives, epochs, minimumCount, subsampling, learningRate, seed } = settings;
  const isFrequent = (word: number): boolean => counts[word] >= minimumCount;
  const total = counts.reduce((sum, count) => (count >= minimumCount ? sum + count : sum), 0);
  const start = new Random('word vectors', seed);
  const vectors = new Float32Array(counts.length * dimensions);
  for (let word = 0; word < counts.length; word++) {
    if (!isFrequent(word)) continue;
    for (let i = 0; i < dimensions; i++) vectors[word * dimensions + i] = (start.unit() - 0.5) / dimensions;
  }
  if (total === 0) return vectors;
  const contexts = new Float32Array(vectors.length);
  const table = noiseTable(counts, minimumCount);
  const gradient = new Float32Array(dimensions);
  const slice = new TimeSlice(50);
  for (let epoch = 0; epoch < epochs; epoch++) {
    for (let document = 0; document < documents; document++) {
      if (slice.isOver) {
        await slice.yield();
        throwIfAborted(signal);
        onProgress?.(epoch * documents + document, epochs * documents);
      }
      const random = new Random('skip-gram', seed, epoch, document);
      const rate = learningRate * Math.max(1e-4, 1 - (epoch * documents + document) / (epochs * documents));
      const words = kept(wordsOf(document), random);
      for (let at = 0; at < words.length; at++) {
        const reach = 1 + random.below(window);
        const row = words[at] * dimensions;
        for (let near = Math.max(0, at - reach); near <= Math.min(words.length - 1, at + reach); near++) {
          if (near === at) continue;
          gradient.fill(0);
          update(row, words[near], 1, rate);
          for (let i = 0; i < negatives; i++) {
            const other = table[random.word() & (tableSize - 1)];
            if (other !== words[near]) update(row, other, 0, rate);
          }
          for (let i = 0; i < dimensions; i++) vectors[row + i] += gradient[i];
        }
      }
    }
  }
  return vectors;

  /** One step of logistic regression: moves the other word's vector, and gathers the change of this one's. */
  function update(row: number, other: number, wanted: 0 | 1, rate: number): void {
    const context = other * dimensions;
    let product = 0;
    for (let i = 0; i < dimensions; i++) product += vectors[row + i] * contexts[context + i];
    const step = rate * (wanted - 1 / (1 + Math.exp(-product)));
    for (let i = 0; i < dimensions; i++) {
      gradient[i] += step * contexts[context + i];
      contexts[context + i] += step * vectors[row + i];
    }
  }

  /** The words with vectors; very frequent ones are left out with the probability 1 − (√(f/s) + 1)·s/f. */
  function kept(words: ArrayLike<number>, random: Random): number[] {
    const some: number[] = [];
    for (let i = 0; i < words.length; i++) {
      const word = words[i];
      if (!isFrequent(word)) continue;
      const share = counts[word] / total;
      const chance = (Math.sqrt(share / subsampling) + 1) * (subsampling / share);
      if (chance >= 1 || random.unit() < chance) some.push(word);
    }
    return some;
  }
}

/** Words in proportion to their counts to the power of ¾. */
function noiseTable(counts: Uint32Array, minimumCount: number): Int32Array {
  const weights = Array.from(counts, (count) => (count >= minimumCount ? count ** 0.75 : 0));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const table = new Int32Array(tableSize);
  let word = -1;
  let until = 0;
  for (let i = 0; i < tableSize; i++) {
    while (word < 0 || ((i + 0.5) / tableSize) * total > until) until += weights[++word];
    table[i] = word;
  }
  return table;
}
