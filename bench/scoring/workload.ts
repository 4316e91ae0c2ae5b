import { createReadStream } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { collectionFolder } from '../collections.js';
import type { TextPair } from '../../src/bert/types.js';

export const root = resolve(import.meta.dirname, '../..');

export const SOURCES = ['scifact', 'cisi', 'cranfield', 'squad_dev', 'cacm'];
const PASSAGE_WORDS = 100;
const CHUNK_WORDS = 10;

/** Passages of up to 100 words of real text, taken in turn from five collections. */
export async function passages(count: number): Promise<string[]> {
  const perSource = Math.ceil(count / SOURCES.length);
  const taken = await Promise.all(SOURCES.map((name) => firstPassages(collectionFolder(name), perSource)));
  return Array.from({ length: perSource }, (_, i) => taken.map((list) => list[i]))
    .flat()
    .filter((text) => text !== undefined)
    .slice(0, count);
}

async function firstPassages(folder: string, count: number): Promise<string[]> {
  const found: string[] = [];
  for await (const line of createInterface({ input: createReadStream(join(folder, 'corpus.jsonl')) })) {
    const { title, text } = JSON.parse(line) as { title?: string; text: string };
    const words = `${title ?? ''} ${text}`.split(/\s+/).filter(Boolean);
    if (words.length < 20) continue;
    found.push(words.slice(0, PASSAGE_WORDS).join(' '));
    if (found.length === count) break;
  }
  return found;
}

/** Phase three of one query: every passage with each of ten chunks, passage by passage. */
export async function phaseThree(count: number): Promise<TextPair[]> {
  const texts = await passages(count);
  const chunks = Array.from({ length: 10 }, (_, i) => {
    const words = texts[i * 7].split(' ');
    return words.slice(5, 5 + CHUNK_WORDS).join(' ');
  });
  return texts.flatMap((b) => chunks.map((a) => ({ a, b })));
}
