import { BertQeError, inputError, reasonOf } from '../common/errors.js';
import { isJsonObject, type JsonObject } from '../common/json.js';

/** The error for a file of a model whose content cannot be used. */
export function badFile(file: string, problem: string, cause?: unknown): BertQeError {
  return inputError(`${file}: ${problem}`, cause);
}

/** Parses text that must be one JSON object; `file` is for messages. */
export function parseJsonObject(text: string, file: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    const reason = text.trim() === '' ? 'the file is empty' : reasonOf(error);
    throw badFile(file, `not JSON (${reason}); download or convert the model again`, error);
  }
  if (!isJsonObject(value)) throw badFile(file, 'expected a JSON object');
  return value;
}

/**
 * The first key that an object of this (valid) JSON text has twice. JSON.parse silently keeps the last one, which in a
 * tensor header or a vocabulary hides damage or malice.
 */
export function duplicateKey(text: string): string | undefined {
  const objects: (Set<string> | undefined)[] = [];
  let keys: Set<string> | undefined;
  let candidate: string | undefined;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]:,]/g)) {
    if (token === '{' || token === '[') {
      objects.push(keys);
      keys = token === '{' ? new Set() : undefined;
    } else if (token === '}' || token === ']') {
      keys = objects.pop();
    } else if (token === ':' && keys !== undefined && candidate !== undefined) {
      // Decoded only if necessary: vocabularies have tens of thousands of keys.
      const key = candidate.includes('\\') ? (JSON.parse(candidate) as string) : candidate.slice(1, -1);
      if (keys.has(key)) return key;
      keys.add(key);
    }
    candidate = token.startsWith('"') ? token : undefined;
  }
  return undefined;
}
