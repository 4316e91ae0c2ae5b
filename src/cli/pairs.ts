import type { TextPair } from '../bert/index.js';
import { badInput, ByteSource, type Origin, readLines } from '../collection/index.js';
import { reasonOf } from '../common/errors.js';

const FIX = 'Expected a line like {"a": "…", "b": "…"}.';

/**
 * Reads pairs, one JSON object `{"a", "b"}` a line, in blocks of at most `size`. Where a line is bad, the pairs before
 * it come first, then the error.
 */
export async function* readPairs(file: string, size: number): AsyncGenerator<TextPair[]> {
  const source = ByteSource.open(file);
  let pairs: TextPair[] = [];
  try {
    for await (const { text, line } of readLines(source)) {
      if (text.trim() === '') continue;
      pairs.push(parsePair(text, { file: source.name, line }));
      if (pairs.length < size) continue;
      yield pairs;
      pairs = [];
    }
  } catch (error) {
    if (pairs.length > 0) yield pairs;
    throw error;
  }
  if (pairs.length > 0) yield pairs;
}

export async function readAllPairs(file: string): Promise<TextPair[]> {
  const all: TextPair[] = [];
  for await (const pairs of readPairs(file, 1024)) all.push(...pairs);
  return all;
}

function parsePair(text: string, origin: Origin): TextPair {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw badInput(origin, `not JSON (${reasonOf(error)})`, FIX, error);
  }
  const { a, b } = (value ?? {}) as { a?: unknown; b?: unknown };
  if (typeof a !== 'string' || typeof b !== 'string') {
    throw badInput(origin, 'the pair has no strings "a" and "b"', FIX);
  }
  return { a, b };
}
