import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bitsNeeded, pack, wordsNeeded } from '../../src/retrieval/index/bit-packing.js';
import { ByteReader, ByteWriter } from '../../src/retrieval/index/bytes.js';
import {
  BLOCK_SIZE,
  Postings,
  PostingsEncoder,
  roundUpToFloat32,
} from '../../src/retrieval/index/postings.js';

/** Sparse ones, dense ones (stored as bitmaps), and those that are now the one and now the other. */
const lists = fc
  .constantFrom(2, 10, 60, 5000)
  .chain((maxGap) => {
    const frequency = fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 1e6 }));
    const gap = fc.integer({ min: 1, max: maxGap });
    return fc.array(fc.tuple(gap, frequency), { minLength: 1, maxLength: 600 });
  })
  .map((gaps) => {
    let document = -1;
    return gaps.map(([gap, frequency]) => ({ document: (document += gap), frequency }));
  });

/** Any function of frequency and length will do. */
const dph = (tf: number, dl: number) => Math.sin(tf * 1000 + dl);

test('postings come back as they were encoded, with the maxima of every block', () => {
  fc.assert(
    fc.property(lists, (list) => {
      const lengths = Uint32Array.from({ length: list.at(-1)!.document + 1 }, (_, d) => 1 + ((d * 37) % 211));
      const encoder = new PostingsEncoder(lengths);
      encoder.start(dph);
      for (const { document, frequency } of list) encoder.add(document, frequency);
      const postings = new Postings(encoder.finish().slice(), list.length);
      expect(postings.blocks).toBe(Math.ceil(list.length / BLOCK_SIZE));
      const back: { document: number; frequency: number }[] = [];
      for (let block = 0; block < postings.blocks; block++) {
        const size = postings.decode(block);
        const part = Array.from({ length: size }, (_, i) => ({
          document: postings.documents[i],
          frequency: postings.frequency(i),
        }));
        expect(postings.lastDocument[block]).toBe(part.at(-1)!.document);
        expect(postings.maxFrequency[block]).toBe(Math.max(...part.map((p) => p.frequency)));
        expect(postings.minLength[block]).toBe(Math.min(...part.map((p) => lengths[p.document])));
        const maxDph = Math.max(...part.map((p) => dph(p.frequency, lengths[p.document])));
        expect(postings.maxDph[block]).toBeGreaterThanOrEqual(maxDph);
        expect(postings.maxDph[block] - maxDph).toBeLessThan(1e-6);
        back.push(...part);
      }
      expect(back).toEqual(list);
    }),
    { numRuns: 100 },
  );
});

test('a document is found in a bitmap without decoding it, at the place it would have decoded', () => {
  const dense = fc.array(fc.integer({ min: 1, max: 15 }), { minLength: 1, maxLength: 400 });
  fc.assert(
    fc.property(dense, fc.integer({ min: 1, max: 4 }), (gaps, step) => {
      let document = -1;
      const list = gaps.map((gap) => (document += gap));
      const encoder = new PostingsEncoder(new Uint32Array(document + 1).fill(10));
      encoder.start(() => 0);
      list.forEach((d, i) => encoder.add(d, 1 + (i % 5)));
      const postings = new Postings(encoder.finish().slice(), list.length);
      let bitmaps = 0;
      for (let block = 0; block < postings.blocks; block++) {
        const decoded = [...postings.documents.subarray(0, postings.decode(block))];
        if (!postings.open(block)) continue;
        bitmaps++;
        const first = block === 0 ? 0 : postings.lastDocument[block - 1] + 1;
        for (let d = first; d <= postings.lastDocument[block]; d += step) {
          const place = postings.find(d);
          expect(place).toBe(decoded.indexOf(d));
          if (place >= 0) expect(postings.frequency(place)).toBe(1 + ((block * BLOCK_SIZE + place) % 5));
        }
      }
      // An average gap of at most eight makes 128 documents fit a bitmap.
      if (document < 1024) expect(bitmaps).toBeGreaterThan(0);
    }),
    { numRuns: 100 },
  );
});

test('close documents are read as the first format stored them, as gaps', () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 7 }), { minLength: 1, maxLength: BLOCK_SIZE });
  fc.assert(
    fc.property(gaps, (list) => {
      let document = -1;
      const documents = list.map((gap) => (document += gap + 1));
      const bits = bitsNeeded(Math.max(...list));
      const frequencies = list.map((_, i) => i % 4);
      const packed = new Uint32Array(1 + wordsNeeded(list.length, bits) + wordsNeeded(list.length, 2));
      packed[0] = list.length | (bits << 8) | (2 << 16);
      pack(Uint32Array.from(list), list.length, bits, packed, 1);
      pack(Uint32Array.from(frequencies), list.length, 2, packed, 1 + wordsNeeded(list.length, bits));
      // One block: its columns are the last document, the start, the bounds.
      const stored = Uint32Array.from([1, document, 0, 4, 1, 0, ...packed]);
      const postings = new Postings(new Uint8Array(stored.buffer), list.length);
      expect(postings.open(0)).toBe(false);
      expect([...postings.documents.subarray(0, postings.decode(0))]).toEqual(documents);
      expect([...postings.decodeFrequencies().subarray(0, list.length)]).toEqual(
        frequencies.map((frequency) => frequency + 1),
      );
    }),
    { numRuns: 200 },
  );
});

test('seek finds the first block that can hold a document', () => {
  fc.assert(
    fc.property(
      lists,
      fc.array(fc.integer({ min: 0, max: 3_000_000 }), { maxLength: 20 }),
      (list, targets) => {
        const lengths = new Uint32Array(list.at(-1)!.document + 1).fill(10);
        const encoder = new PostingsEncoder(lengths);
        encoder.start(() => 0);
        for (const { document, frequency } of list) encoder.add(document, frequency);
        const postings = new Postings(encoder.finish().slice(), list.length);
        let from = 0;
        for (const target of targets.sort((a, b) => a - b)) {
          const naive = [...postings.lastDocument].findIndex(
            (last, block) => block >= from && last >= target,
          );
          from = postings.seek(target, from);
          expect(from).toBe(naive < 0 ? postings.blocks : naive);
        }
      },
    ),
    { numRuns: 100 },
  );
});

test('numbers and strings of any size survive the byte buffer', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(fc.integer({ min: 0, max: 2 ** 32 - 1 }), fc.string({ unit: 'grapheme', maxLength: 400 })),
      ),
      fc.maxSafeNat(),
      (values, large) => {
        const writer = new ByteWriter(4);
        for (const value of values) {
          if (typeof value === 'string') writer.string(value);
          else writer.varint(value);
        }
        writer.varint53(large);
        const reader = new ByteReader(writer.view().slice());
        for (const value of values)
          expect(typeof value === 'string' ? reader.string() : reader.varint()).toBe(value);
        expect(reader.varint53()).toBe(large);
        expect(reader.atEnd).toBe(true);
      },
    ),
  );
});

test('rounding up to float32 never falls below the number, and goes up by one step at most', () => {
  fc.assert(
    fc.property(fc.double({ min: -1e30, max: 1e30, noNaN: true }), (value) => {
      const up = roundUpToFloat32(value);
      expect(up).toBe(Math.fround(up));
      expect(up).toBeGreaterThanOrEqual(value);
      expect(up - value).toBeLessThanOrEqual(Math.max(1.5e-45, Math.abs(value) * 2 ** -23));
    }),
  );
});
