import { readFileSync } from 'node:fs';
import type { TextPair } from '../../../src/bert/types.js';

function lines<T>(file: string): T[] {
  const text = readFileSync(new URL(`../../../demo/${file}`, import.meta.url), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T);
}

/** Real pairs: the demo's queries, each with articles that walk through the collection. */
export function demoPairs(count: number): TextPair[] {
  const queries = lines<{ text: string }>('queries.jsonl');
  const articles = lines<{ title: string; text: string }>('corpus.jsonl');
  return Array.from({ length: count }, (_, i) => {
    const article = articles[(i * 7) % articles.length];
    return { a: queries[Math.floor(i / 20) % queries.length].text, b: `${article.title} ${article.text}` };
  });
}
