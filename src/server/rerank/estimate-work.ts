import type { Phase, Settings, WindowShape } from '../../expansion/index.js';
import { charactersPerToken, type ServedModel } from '../scheduling/index.js';

/** Characters of an English word with its space. */
const charactersPerWord = 6;
const tokensPerWord = charactersPerWord / charactersPerToken;

/** [CLS], [SEP], [SEP]. */
const specialTokens = 3;

/** Tokens that a sequence of 384 keeps of each text. */
const maxFirstTokens = 126;
const maxSecondTokens = 254;

/** The facts that the work depends on. */
export interface WorkInput {
  readonly query: string;
  /** Characters of each document. */
  readonly lengths: readonly number[];
  readonly models: Readonly<Record<Phase, ServedModel>>;
  readonly settings: Settings;
}

/**
 * Estimates the work of a request before anything is tokenised, in tokens of a model of weight 1. Exact top-k and equal
 * texts can make it less.
 */
export function estimateWork({ query, lengths, models, settings }: WorkInput): number {
  const { passage, chunk, kd, kc, expansion } = settings;
  const queryTokens = Math.min(maxFirstTokens, query.length / charactersPerToken) + specialTokens;
  const looksAgain = models.bestPassage !== models.phaseOne;
  let work = 0;
  let characters = 0;
  let bestPassageTokens = 0;
  let mostAgain = 0;
  for (const length of lengths) {
    characters += length;
    const words = length / charactersPerWord;
    const passages = windowsOf(words, passage);
    const passageTokens = Math.min(maxSecondTokens, Math.min(words, passage.length) * tokensPerWord);
    const { weight } = passages > 1 ? models.bestPassage : models.phaseOne;
    work += weight * passages * (queryTokens + passageTokens);
    if (passages > 1 && looksAgain) {
      work += models.phaseOne.weight * (queryTokens + passageTokens);
      mostAgain = Math.max(mostAgain, (passages - 1) * (queryTokens + passageTokens));
    }
    bestPassageTokens += passageTokens;
  }
  // Which documents lead is not known, so each is taken for the longest.
  work += models.phaseOne.weight * Math.min(kd, lengths.length) * mostAgain;
  if (!expansion || lengths.length === 0) return work;
  const chunkTokens = chunk.length * tokensPerWord;
  const feedbackWords =
    settings.chunkSource === 'document'
      ? characters / lengths.length / charactersPerWord
      : bestPassageTokens / lengths.length / tokensPerWord;
  const chunks = Math.max(1, feedbackWords / (chunk.length - chunk.overlap) - 1);
  work += models.phaseTwo.weight * Math.min(kd, lengths.length) * chunks * (queryTokens + chunkTokens);
  work +=
    models.phaseThree.weight * kc * (bestPassageTokens + lengths.length * (chunkTokens + specialTokens));
  return work;
}

/**
 * The most pairs that documents with so many words can make the models score. `looksAgain`: one model chooses passages, and
 * another scores them.
 */
export function mostPairs(words: readonly number[], settings: Settings, looksAgain: boolean): number {
  const { passage, chunk, chunkSource, kd, kc, expansion } = settings;
  let pairs = 0;
  let chunks = 0;
  let mostChunks = 0;
  let mostPassages = 0;
  for (const count of words) {
    const passages = windowsOf(count, passage);
    pairs += passages;
    mostPassages = Math.max(mostPassages, passages);
    const source = chunkSource === 'document' ? count : Math.min(count, passage.length + passage.overlap);
    const ofDocument = windowsOf(source, chunk);
    chunks += ofDocument;
    mostChunks = Math.max(mostChunks, ofDocument);
  }
  if (looksAgain) pairs += words.length + Math.min(pairs, kd * Math.max(0, mostPassages - 1));
  if (!expansion) return pairs;
  return pairs + Math.min(chunks, kd * mostChunks) + kc * words.length;
}

function windowsOf(words: number, { length, overlap }: WindowShape): number {
  return Math.max(1, Math.ceil((words - overlap) / (length - overlap)));
}
