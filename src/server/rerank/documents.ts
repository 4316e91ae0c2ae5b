import { wordsOf } from '../../expansion/index.js';
import type { SharedScorer } from '../scheduling/index.js';
import type { V1Request } from '../schemas/index.js';
import { HttpProblem } from '../http/index.js';

type V1Document = V1Request['documents'][number];

/** The text of a document: of an object its `text`, or the fields asked for as lines of `name: value`. */
export function textOf(
  document: V1Document,
  index: number,
  rankFields: readonly string[] | undefined,
): string {
  if (typeof document === 'string') return document;
  if (!rankFields && typeof document['text'] === 'string') return document['text'];
  const names = rankFields ?? Object.keys(document);
  const lines = names
    .filter((name) => Object.hasOwn(document, name))
    .map((name) => `${name}: ${written(document[name])}`);
  if (lines.length === 0) {
    const wanted = rankFields ? `none of the fields ${rankFields.join(', ')}` : 'no fields';
    throw new HttpProblem(422, 'invalid_request', `documents[${index}] has ${wanted}; give it a "text".`);
  }
  // The name of a single field says nothing about the document.
  return lines.length === 1
    ? written(document[names.find((name) => Object.hasOwn(document, name))!])
    : lines.join('\n');
}

function written(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Cuts a text after so many tokens, at the end of a word. */
export function cutToTokens(text: string, tokens: number, scorer: Pick<SharedScorer, 'lengthOf'>): string {
  // A token has at least one character.
  if (text.length <= tokens) return text;
  const specials = scorer.lengthOf({ a: '', b: '' });
  const words = wordsOf(text);
  let left = tokens;
  for (const [i, word] of words.entries()) {
    left -= scorer.lengthOf({ a: '', b: word }) - specials;
    if (left < 0) return words.slice(0, i).join(' ');
  }
  return text;
}

/** Cuts a text after so many passages. */
export function cutToPassages(text: string, passages: number, length: number, overlap: number): string {
  const words = wordsOf(text);
  const kept = length + (passages - 1) * (length - overlap);
  return words.length <= kept ? text : words.slice(0, kept).join(' ');
}
