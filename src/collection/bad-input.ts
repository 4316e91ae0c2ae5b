import { clip } from '../common/clip.js';
import { type BertQeError, inputError } from '../common/errors.js';
import type { Origin } from './types.js';

/** An error about bad input, in one line: the place (`file` or `file:line`), the problem, and the remedy. */
export function badInput({ file, line }: Origin, problem: string, fix: string, cause?: unknown): BertQeError {
  const place = line === undefined ? file : `${file}:${line}`;
  return inputError(`${place}: ${problem.replaceAll('\n', ' ')}. ${fix}`, cause);
}

/** A piece of the input as messages show it: quoted, on one line, shortened. */
export function quote(text: string): string {
  return JSON.stringify(clip(text, 60));
}

/** Several names, quoted, as a list. */
export function quoteAll(names: readonly string[]): string {
  return names.map((name) => quote(name)).join(', ');
}

/**
 * Refuses an id that is empty or holds white space. TREC runs and qrels separate their columns by white space, so such
 * an id could be written but not read back.
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
