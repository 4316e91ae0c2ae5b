import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const root = resolve(import.meta.dirname, '../..');

/** Documents of a request. */
export const documentsPerRequest = 20;

/** Words of a document: one passage, so that every contender has the same text to read. */
const words = 100;

export interface RerankRequest {
  readonly query: string;
  readonly texts: readonly string[];
}

/** Requests over the demo collection: each its own query, and 20 of the 200 articles. */
export function requests(): RerankRequest[] {
  const texts = lines('corpus.jsonl').map(({ title, text }) =>
    `${title ?? ''} ${text}`.trim().split(/\s+/).slice(0, words).join(' '),
  );
  return lines('queries.jsonl').map(({ text }, i) => ({
    query: text,
    texts: Array.from({ length: documentsPerRequest }, (_, j) => texts[(i * 7 + j * 11) % texts.length]),
  }));
}

function lines(name: string): { title?: string; text: string }[] {
  return readFileSync(join(root, 'demo', name), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { title?: string; text: string });
}
