import { BertQeError } from '../common/errors.js';
import type { RankedInput } from './evidence.js';

/** A document to re-rank. */
export interface InputDocument {
  /** Breaks ties and names the document in the answer; its index where absent. */
  readonly id?: string | undefined;
  readonly title?: string | undefined;
  readonly text: string;
  /** I(q,d), its score in the initial ranking: on all documents or on none. */
  readonly score?: number | undefined;
}

/**
 * The initial ranking that an array of documents stands for: by score where they have scores (equal ones as they
 * come), else in the order of the array.
 */
export function initialRanking(documents: readonly (string | InputDocument)[]): RankedInput[] {
  if (!Array.isArray(documents))
    throw badCall('the documents are no array; give strings or objects with a text');
  // Callers in JavaScript may give anything.
  const inputs = Array.from(documents as readonly unknown[], (document, index) => {
    const given = typeof document === 'string' ? { text: document } : (document ?? {});
    const { id, title, text, score } = given as Partial<InputDocument>;
    if (typeof text !== 'string') {
      throw badCall(`documents[${index}] has no text; give strings or objects with a text`);
    }
    if (title !== undefined && typeof title !== 'string') {
      throw badCall(`documents[${index}] has a title that is no text; leave it out where there is none`);
    }
    if (score !== undefined && !Number.isFinite(score)) {
      throw badCall(`documents[${index}] has the score ${score}; it must be a finite number`);
    }
    const content = title === undefined ? { text } : { title, text };
    // A score of -0 becomes 0: JSON cannot tell them apart, so neither must an explanation.
    const initial = score === 0 ? 0 : score;
    return { index, id: id ?? String(index), document: content, initial };
  });
  const without = inputs.findIndex(({ initial }) => initial === undefined);
  if (without >= 0 && inputs.some(({ initial }) => initial !== undefined)) {
    throw badCall(`documents[${without}] has no score but others have; give every document one, or none`);
  }
  if (without < 0) inputs.sort((a, b) => b.initial! - a.initial!);
  return inputs.map((input, i) => ({ ...input, initialRank: i + 1 }));
}

/** Documents with their ids. One that is left out is the document's place; no id may come twice. */
export function withIds(
  documents: readonly (string | InputDocument)[],
): (InputDocument & { readonly id: string })[] {
  const seen = new Set<string>();
  return documents.map((given, place) => {
    const document = typeof given === 'string' ? { text: given } : given;
    const { id = String(place) } = document;
    if (seen.has(id)) throw new BertQeError('usage', `documents[${place}]: the id "${id}" is there twice.`);
    seen.add(id);
    return { ...document, id };
  });
}

/** Refuses a query without words. */
export function checkQuery(query: string): void {
  if (typeof query !== 'string') throw badCall('the query is no text; give it as a string');
  if (query.trim() === '') throw badCall('the query is empty; give it some words');
}

/** A mistake in a call of `rerank`. */
export function badCall(message: string): BertQeError {
  return new BertQeError('usage', `rerank: ${message}.`);
}
