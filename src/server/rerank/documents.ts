import type { TimeSlice } from '../../common/yield.js';
import type { WindowShape } from '../../expansion/index.js';
import { documentCharacters } from '../limits.js';
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
  const text = textOfFields(document, index, rankFields);
  if (text.length <= documentCharacters) return text;
  const limit = `has more than ${documentCharacters} characters`;
  throw new HttpProblem('invalid_request', `documents[${index}] ${limit}; send a shorter one.`);
}

function textOfFields(
  document: Exclude<V1Document, string>,
  index: number,
  rankFields: readonly string[] | undefined,
): string {
  if (!rankFields && typeof document['text'] === 'string') return document['text'];
  const names = (rankFields ?? Object.keys(document)).filter((name) => Object.hasOwn(document, name));
  if (names.length === 0) {
    const wanted = rankFields ? `none of the fields ${shown(rankFields)}` : 'no fields';
    throw new HttpProblem('invalid_request', `documents[${index}] has ${wanted}; give it a "text".`);
  }
  // The name of a single field says nothing about the document.
  if (names.length === 1) return written(document[names[0]]);
  return names.map((name) => `${name}: ${written(document[name])}`).join('\n');
}

/** Names that a message quotes; the others are counted. */
const shownNames = 5;

function shown(names: readonly string[]): string {
  const more = names.length > shownNames ? ` and ${names.length - shownNames} more` : '';
  return names.slice(0, shownNames).join(', ') + more;
}

function written(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Words between two checks of the clock. */
const wordsPerCheck = 64;

/** Cuts a text after so many tokens, at the end of a word. */
export async function cutToTokens(
  text: string,
  tokens: number,
  scorer: Pick<SharedScorer, 'lengthOf'>,
  slice: TimeSlice,
): Promise<string> {
  // A token has at least one character.
  if (text.length <= tokens) return text;
  const specials = scorer.lengthOf({ a: '', b: '' });
  const kept: string[] = [];
  let left = tokens;
  for (const word of eachWord(text)) {
    left -= scorer.lengthOf({ a: '', b: word }) - specials;
    if (left < 0) return kept.join(' ');
    kept.push(word);
    if (kept.length % wordsPerCheck === 0 && slice.isOver) await slice.yield();
  }
  return text;
}

/** Cuts a text after so many passages. */
export function cutToPassages(text: string, passages: number, { length, overlap }: WindowShape): string {
  const most = length + (passages - 1) * (length - overlap);
  // A word has at least one character, and a space before the next.
  if (text.length <= 2 * most) return text;
  const kept: string[] = [];
  for (const word of eachWord(text)) {
    if (kept.length === most) return kept.join(' ');
    kept.push(word);
  }
  return text;
}

/** The words of a text one by one: few of a long text may be wanted. */
function* eachWord(text: string): Generator<string> {
  for (const [word] of text.matchAll(/\S+/g)) yield word;
}
