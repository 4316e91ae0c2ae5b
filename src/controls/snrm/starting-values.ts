import type { NetworkParameter } from '../../training/network/index.js';
import { Random } from '../../training/index.js';
import type { Vocabulary } from '../words/vocabulary.js';
import { snrmShapes, type SnrmSizes, WORD_GRADIENTS, wordVectors } from './graph.js';

/** A latent term is active where the sum of a window's vectors is longer than this in the direction of its word. */
const threshold = 0.6;
/** Words in more than this share of the documents are starting points of latent terms only where there are no others. */
const frequentShare = 0.1;
/** The length of the trained vector in the sum with a random one of length 1. */
const trainedShare = 0.3;
/** The weight of a word with an inverse document frequency of 1: large enough for the margin of the loss. */
const scale = 0.8;

/**
 * Weights from which a short training learns to retrieve, where random ones need millions of queries. The layers begin as
 * detectors of words: the first one adds up the vectors of a window, positive and negative parts apart; a latent term of the
 * second is active where the sum has the vector of one word in it, the more the rarer that word is.
 */
export function startingValues(vocabulary: Vocabulary, sizes: SnrmSizes, seed: number): NetworkParameter[] {
  const { dimensions, documentFrequencies, documents } = vocabulary;
  const vectors = differentVectors(vocabulary, seed);
  const words = detectedWords(vocabulary, sizes.latent);
  const weights = words.map((word) => scale * Math.log((documents + 1) / documentFrequencies[word]));
  const valueOf: Readonly<Record<string, (unit: number, input: number) => number>> = {
    'layer 1.weight': (unit, input) =>
      unit % dimensions !== input % dimensions ? 0 : unit < dimensions ? 1 : -1,
    'layer 2.weight': (unit, input) =>
      weights[unit] *
      vectors[words[unit] * dimensions + (input % dimensions)] *
      (input < dimensions ? 1 : -1),
    'layer 2.bias': (unit) => -threshold * weights[unit],
  };
  return [...snrmShapes(sizes)].map(([name, shape]) => {
    if (name === wordVectors) return { name, shape, values: vectors, rowGradient: WORD_GRADIENTS };
    const [units, inputs = 1] = shape;
    const of = valueOf[name] ?? (() => 0);
    const values = Float32Array.from({ length: units * inputs }, (_, at) =>
      of(Math.floor(at / inputs), at % inputs),
    );
    return { name, shape, values };
  });
}

/** The words that latent terms start from: the most frequent ones, and last of all those of more than a tenth of the documents. */
function detectedWords({ documents, documentFrequencies }: Vocabulary, count: number): number[] {
  const isFrequent = (word: number): number =>
    documentFrequencies[word] > frequentShare * documents ? 1 : 0;
  const words = Array.from(documentFrequencies, (_, word) => word).sort(
    (a, b) => isFrequent(a) - isFrequent(b) || documentFrequencies[b] - documentFrequencies[a] || a - b,
  );
  // Where there are fewer words than latent terms, some begin alike.
  return Array.from({ length: count }, (_, i) => words[i % words.length]);
}

/**
 * The vectors of words, of length 1: random ones, and a part of the trained vectors without what all of these have in common. Trained ones alone are
 * too much alike in small collections to tell words apart.
 */
function differentVectors({ vectors, dimensions }: Vocabulary, seed: number): Float32Array {
  const mean = new Float64Array(dimensions);
  const trained = new Set<number>();
  vectors.forEach((value, at) => {
    mean[at % dimensions] += value;
    if (value !== 0) trained.add(at - (at % dimensions));
  });
  const random = new Random('word vectors', seed);
  const different = new Float32Array(vectors.length);
  for (let from = 0; from < vectors.length; from += dimensions) {
    const other = unit(Float64Array.from({ length: dimensions }, () => random.unit() - 0.5));
    const own = trained.has(from)
      ? unit(Float64Array.from(mean, (sum, i) => vectors[from + i] - sum / trained.size))
      : new Float64Array(dimensions);
    different.set(unit(other.map((value, i) => value + trainedShare * own[i])), from);
  }
  return different;
}

function unit(vector: Float64Array): Float64Array {
  const length = Math.hypot(...vector);
  return length === 0 ? vector : vector.map((value) => value / length);
}
