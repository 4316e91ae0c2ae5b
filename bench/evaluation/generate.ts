import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { finished } from 'node:stream/promises';

const QUERIES = 1000;
const DEPTH = 1000;
const JUDGED = 400;

/** The same stream of numbers in [0, 1) every time (a linear congruential generator is random enough here). */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A run of a million lines with TREC-like ids and a few ties, and qrels that judge documents of it. */
export async function generateCollection(qrels: string, run: string): Promise<void> {
  const random = randomNumbers(1);
  await write(run, QUERIES, (query) => {
    let score = 20 + 10 * random();
    return Array.from({ length: DEPTH }, (_, rank) => {
      if (random() < 0.9) score -= random() * 0.02;
      return `${300 + query} Q0 ${documentId(query, rank * 3 + Math.floor(3 * random()))} ${rank + 1} ${score.toFixed(6)} bench`;
    });
  });
  await write(qrels, QUERIES, (query) =>
    Array.from(
      { length: JUDGED },
      (_, i) => `${300 + query} 0 ${documentId(query, i * 5)} ${Math.floor(3 * random())}`,
    ),
  );
}

function documentId(query: number, number: number): string {
  const scrambled = (query * 7919 + number * 104729) % 1_000_000;
  return `FT${920 + (number % 25)}-${String(scrambled).padStart(6, '0')}-${query}-${number}`;
}

async function write(path: string, groups: number, linesOf: (group: number) => string[]): Promise<void> {
  const file = createWriteStream(path);
  for (let group = 0; group < groups; group++) {
    if (!file.write(`${linesOf(group).join('\n')}\n`)) await once(file, 'drain');
  }
  file.end();
  await finished(file);
}
