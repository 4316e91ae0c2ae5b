import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mulberry32 } from './random.js';

const WORDS_PER_DOCUMENT = 300;
const WORDS_PER_TITLE = 6;

/** A word for each rank: consonant-vowel syllables, so that it survives stop lists and, mostly, stemming. */
export function word(rank: number): string {
  const consonants = 'bdfgklmnprtvz';
  const vowels = 'aiou';
  let rest = rank + 20;
  let text = '';
  while (rest > 0) {
    const syllable = rest % 52;
    text += consonants[syllable % 13] + vowels[Math.floor(syllable / 13)];
    rest = Math.floor(rest / 52);
  }
  return text + 'k';
}

/**
 * A rank by Zipf-Mandelbrot's law, p(rank) ~ (rank + 200)^-1.6, drawn by inverting its distribution. With these
 * constants the ten most frequent words make up 3 % of a text and 150 million words hold about 700,000 distinct ones,
 * as English without stop words does.
 */
function zipfRank(random: () => number): number {
  return Math.floor(200 * ((1 - random()) ** (-1 / 0.6) - 1));
}

/** Writes `documents` documents of 300 Zipf-distributed words as JSONL; the same seed gives the same file. */
export async function generateCollection(file: string, documents: number, seed = 1): Promise<void> {
  const random = mulberry32(seed);
  const out = createWriteStream(file);
  const words = (count: number) => Array.from({ length: count }, () => word(zipfRank(random))).join(' ');
  for (let d = 0; d < documents; d++) {
    const line = JSON.stringify({
      _id: `d${d}`,
      title: words(WORDS_PER_TITLE),
      text: words(WORDS_PER_DOCUMENT),
    });
    if (!out.write(`${line}\n`)) await once(out, 'drain');
  }
  out.end();
  await once(out, 'finish');
}

/** Queries of two to five words, neither the most frequent nor the rarest, as `id \t text`. */
export async function generateQueries(file: string, queries: number, seed = 2): Promise<void> {
  const random = mulberry32(seed);
  const out = createWriteStream(file);
  for (let q = 1; q <= queries; q++) {
    const length = 2 + Math.floor(4 * random());
    // Uniform in the logarithm of the rank, from 20 to 20,000.
    const text = Array.from({ length }, () => word(Math.floor(20 * 1000 ** random()))).join(' ');
    out.write(`${q}\t${text}\n`);
  }
  out.end();
  await once(out, 'finish');
}
