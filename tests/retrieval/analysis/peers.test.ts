import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createAnalyzer } from '../../../src/retrieval/analysis/analyzer.js';

/** The lines of a fixture of scripts/peers: the same systems, asked by other programs about other texts. */
function linesOf(name: string): string[] {
  const packed = readFileSync(new URL(`../../fixtures/peers/${name}`, import.meta.url));
  return gunzipSync(packed).toString().trimEnd().split('\n');
}

const anserini = createAnalyzer({ base: 'anserini' });
const terrier = createAnalyzer({ base: 'terrier' });

describe('beside the fixtures of the retrieval peers', () => {
  it('tricky texts become the same terms', () => {
    const cases = linesOf('tricky.jsonl.gz');
    for (const line of cases) {
      const peer = JSON.parse(line) as { text: string; terrier: string[]; anserini: string[] };
      expect(anserini.analyze(peer.text), line).toEqual(peer.anserini);
      expect(terrier.analyze(peer.text), line).toEqual(peer.terrier);
    }
    expect(cases.length).toBeGreaterThan(100);
  });

  it('single words become the same terms, or none', () => {
    const rows = linesOf('stems.tsv.gz').map((line) => line.split('\t') as [string, string, string]);
    const ours = rows.map(([word]) => [
      word,
      terrier.analyze(word).join(' '),
      anserini.analyze(word).join(' '),
    ]);
    expect(ours).toEqual(rows);
    expect(rows.length).toBeGreaterThan(10_000);
  });

  it('words that Terrier was seen to leave out are left out', () => {
    const seen = linesOf('terrier-stopwords.txt.gz');
    expect(seen.filter((word) => terrier.termOf(word) !== '')).toEqual([]);
    expect(seen.length).toBeGreaterThan(300);
  });
});
