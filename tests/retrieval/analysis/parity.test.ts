import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { analyzerBases } from '../../../src/retrieval/analysis/bases.js';
import { createAnalyzer } from '../../../src/retrieval/analysis/analyzer.js';
import { porterStem } from '../../../src/retrieval/analysis/porter.js';
import { collectionPath, describeWithCollections } from '../../support/shared.js';
import { digest, peerCases, peerDigests } from './oracle.js';
import { BLOCK, codePointTexts, porterWords, PROBED_PLANES, randomTexts } from './samples.js';
import { trickyTexts } from './tricky.js';

describe.each(analyzerBases)('%s, beside the real system', (base) => {
  const analyzer = createAnalyzer({ base });

  it('makes the same terms of every tricky text', () => {
    const known = new Map(peerCases.map((peer) => [peer.text, peer]));
    for (const text of trickyTexts) {
      const peer = known.get(text);
      expect(peer, `no answer for ${JSON.stringify(text)}: run scripts/peers/analysis/make.sh`).toBeDefined();
      expect(analyzer.analyze(text), JSON.stringify(text)).toEqual(peer![base]);
    }
  });

  it('makes the same terms of 2,000 random texts', () => {
    expect(peerCases.length).toBe(trickyTexts.length + 2000);
    for (const peer of peerCases) {
      expect(analyzer.analyze(peer.text), JSON.stringify(peer.text)).toEqual(peer[base]);
    }
  });

  it('makes the same terms of 30,000 more', () => {
    const terms = randomTexts(2, 30_000).map((text) => analyzer.analyze(text));
    expect(digest(terms)).toEqual(peerDigests.random[base]);
  });
});

describe('the standard tokenizer and lower case, beside Lucene', () => {
  const analyzer = createAnalyzer({ base: 'plain' });

  it.each(PROBED_PLANES)('treat every code point of plane %d alike', (plane) => {
    for (let block = (plane << 16) / BLOCK; block < ((plane + 1) << 16) / BLOCK; block++) {
      const first = (block * BLOCK).toString(16);
      const { sha256 } = digest(codePointTexts(block).map((text) => analyzer.analyze(text)));
      expect(sha256, `code points from U+${first}`).toBe(peerDigests.codePoints[first]);
    }
  });
});

describe('the stemmer, beside Lucene and Terrier', () => {
  it('stems 226,627 made-up words alike', () => {
    expect(digest(porterWords().map((word) => [porterStem(word)]))).toEqual(peerDigests.porter);
  });
});

describeWithCollections('documents and queries of real collections', () => {
  describe.each(Object.keys(peerDigests.collections))('%s', (name) => {
    it.each(analyzerBases)('become the same terms under %s, one by one', (base) => {
      const analyzer = createAnalyzer({ base });
      const terms = textsOf(name).map((text) => analyzer.analyze(text));
      expect(digest(terms)).toEqual(peerDigests.collections[name]![base]);
    });
  });
});

/** Documents, then queries, as both peers were fed them. */
function textsOf(collection: string): string[] {
  return ['corpus.jsonl', 'queries.jsonl'].flatMap((file) =>
    readFileSync(collectionPath(`${collection}/${file}`), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => {
        const { title, text } = JSON.parse(line) as { title?: string; text: string };
        return title ? `${title} ${text}` : text;
      }),
  );
}
