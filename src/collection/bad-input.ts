import { BertQeError } from '../common/errors.js';
import type { Origin } from './types.js';

/** `file` or `file:line`, as compilers write it. */
export function formatOrigin(origin: Origin): string {
  return origin.line === undefined ? origin.file : `${origin.file}:${origin.line}`;
}

/** One clear line: where, what is wrong, and what to do about it. */
export function badInput(origin: Origin, problem: string, fix: string, cause?: unknown): BertQeError {
  return new BertQeError('input', `${formatOrigin(origin)}: ${problem}. ${fix}`, { cause });
}

/** A piece of the input for a message: quoted, on one line, cut short. */
export function quote(text: string, limit = 60): string {
  return JSON.stringify(text.length > limit ? `${text.slice(0, limit)}…` : text);
}

/**
 * Ids end up as columns of TREC runs and qrels, which are separated by white space: an id that is empty or
 * holds white space could be written but never read back.
 */
export function checkId(id: string, kind: 'document' | 'query', origin: Origin): string {
  if (id === '') {
    throw badInput(origin, `the ${kind} id is empty`, `Give every ${kind} an id of its own.`);
  }
  if (/\s/.test(id)) {
    throw badInput(
      origin,
      `the ${kind} id ${quote(id)} contains white space, which TREC runs and qrels cannot hold`,
      'Replace the white space, for example with "_".',
    );
  }
  return id;
}

/**
 * A copy that does not share memory with the text it was cut from. V8's slices keep the whole alive: without this,
 * whoever keeps the ids of a collection keeps its text as well.
 */
export function ownCopy(text: string): string {
  // Shorter pieces are copied anyway.
  return text.length < 13 ? text : Buffer.from(text).toString();
}
