import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { Tokenizer } from '../../../src/bert/types.js';

const root = fileURLToPath(new URL('../../fixtures/bert/tokenizer/', import.meta.url));

/** A file or folder written by scripts/fixtures/bert/tokenizers_oracle.py. */
export function tokenizerFixture(path: string): string {
  return root + path;
}

interface Expected {
  readonly texts: number;
  readonly tokens: number;
  readonly inputs: string;
  readonly sha256: string;
}

const { oracles } = JSON.parse(readFileSync(tokenizerFixture('oracle/oracle.json'), 'utf8')) as {
  oracles: Record<string, Expected>;
};

/** The 16-bit digests of one oracle file. */
export function readDigests(name: string): Uint16Array {
  const bytes = readFileSync(tokenizerFixture(`oracle/${name}.bin`));
  return new Uint16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}

/** FNV-1a over whole numbers, folded to 16 bits. */
export function digest(numbers: ArrayLike<number>): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < numbers.length; i++) hash = Math.imul(hash ^ numbers[i], 0x01000193);
  return (hash ^ (hash >>> 16)) & 0xffff;
}

/** Every text gives the ids that the original library gave: first text by text, then as one SHA-256. */
export function expectOracle(name: string, tokenizer: Tokenizer, texts: Iterable<string>): void {
  const expected = oracles[name];
  const digests = readDigests(name);
  const total = createHash('sha256');
  const inputs = createHash('sha256');
  const different: string[] = [];
  let count = 0;
  let tokens = 0;
  for (const text of texts) {
    const ids = tokenizer.encode(text);
    if (digest(ids) !== digests[count] && different.length < 10) different.push(JSON.stringify(text));
    const counted = new Int32Array(ids.length + 1);
    counted[0] = ids.length;
    counted.set(ids, 1);
    total.update(new Uint8Array(counted.buffer));
    inputs.update(`${text}\0`, 'utf8');
    count++;
    tokens += ids.length;
  }
  expect(inputs.digest('hex'), 'the texts are those that the oracle was made from').toBe(expected.inputs);
  expect(different, 'texts whose tokens differ').toEqual([]);
  expect({ texts: count, tokens, sha256: total.digest('hex') }).toEqual({
    texts: expected.texts,
    tokens: expected.tokens,
    sha256: expected.sha256,
  });
}
