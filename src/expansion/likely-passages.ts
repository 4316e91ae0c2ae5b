import { throwIfAborted } from '../common/errors.js';
import { TimeSlice } from '../common/yield.js';
import type { Candidate } from './evidence.js';

/**
 * A passage may be the best of its document if its words score at least this share of what the document's best words
 * score. Chosen on development collections (docs/benchmarks-expansion.md).
 */
const LIKELY_SHARE = 0.5;

/** Words that begin with the same letters are taken for the same. */
const LETTERS = 5;

/**
 * Narrows each document's passages to those that share enough words with the query, and names the likeliest. Every shared word counts once, with
 * its inverse frequency among all passages, so that words without meaning count for nothing.
 */
export async function keepLikelyPassages(
  query: string,
  candidates: readonly Candidate[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const open = candidates.filter(({ likelyPassages }) => likelyPassages.length > 1);
  const places = new Map<number, number>();
  eachWord(query, (word) => void (places.has(word) || places.set(word, places.size)));
  const slice = new TimeSlice();
  /** A document may have a hundred thousand passages. */
  const pause = async (): Promise<void> => {
    await slice.yield();
    throwIfAborted(signal);
  };

  const holders = new Float64Array(places.size);
  const lastIn = new Int32Array(places.size);
  const found = new Uint32Array(places.size);
  /** The words that each passage shares, by their places in the query. */
  const shared: Uint32Array[] = [];
  for (const { likelyPassages } of open) {
    for (const passage of likelyPassages) {
      if (slice.isOver) await pause();
      const number = shared.length + 1;
      let count = 0;
      eachWord(passage, (word) => {
        const place = places.get(word);
        if (place === undefined || lastIn[place] === number) return;
        lastIn[place] = number;
        holders[place]++;
        found[count++] = place;
      });
      shared.push(count === 0 ? NOTHING : found.slice(0, count));
    }
  }

  const weights = holders.map((passages) => Math.log(shared.length / passages));
  let next = 0;
  for (const candidate of open) {
    const scores = new Float64Array(candidate.likelyPassages.length);
    let most = 0;
    for (let at = 0; at < scores.length; at++) {
      if (slice.isOver) await pause();
      for (const place of shared[next++]) scores[at] += weights[place];
      most = Math.max(most, scores[at]);
    }
    // Sums differ in their last bits by the order of the words.
    const slack = 1e-9;
    candidate.likeliest = candidate.likelyPassages[scores.findIndex((score) => score >= most - slack)];
    candidate.keepPassages((at) => scores[at] >= LIKELY_SHARE * most - slack);
  }
}

const NOTHING = new Uint32Array();

/** Calls back with a number for each word of the text, the same for words that begin alike in either case. */
function eachWord(text: string, visit: (word: number) => void): void {
  const lower = text.toLowerCase();
  let word = 0;
  let length = 0;
  for (let i = 0; i < lower.length; i++) {
    const unit = lower.charCodeAt(i);
    if (isPartOfWord(unit)) {
      if (length++ < LETTERS) word = (Math.imul(word, 0x9e3779b1) + unit) | 0;
    } else if (length > 0) {
      visit(word);
      word = length = 0;
    }
  }
  if (length > 0) visit(word);
}

/** Digits and small letters; beyond ASCII nearly all units are of letters. */
function isPartOfWord(unit: number): boolean {
  return (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x30 && unit <= 0x39) || unit > 0xa0;
}
