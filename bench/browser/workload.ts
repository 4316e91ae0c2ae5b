import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TextPair } from '../../src/bert/types.js';

/** Phase three of one query over the demo's articles: passages of up to 100 words, each with ten chunks of ten words. */
export function demoPhaseThree(passages: number): TextPair[] {
  const lines = readFileSync(join(import.meta.dirname, '../../demo/corpus.jsonl'), 'utf8')
    .trim()
    .split('\n');
  const texts = lines.slice(0, passages).map((line) => {
    const { title, text } = JSON.parse(line) as { title: string; text: string };
    return `${title} ${text}`.split(/\s+/).slice(0, 100).join(' ');
  });
  const chunks = Array.from({ length: 10 }, (_, i) =>
    texts[(i * 7) % texts.length].split(' ').slice(5, 15).join(' '),
  );
  return texts.flatMap((b) => chunks.map((a) => ({ a, b })));
}
