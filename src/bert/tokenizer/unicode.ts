import * as tables from './unicode-tables.js';

/** Properties of a code point, as bits. */
export const REMOVED = 1;
export const SPACE = 2;
export const PUNCTUATION = 4;
export const IDEOGRAPH = 8;
export const MARK = 16;
export const DECOMPOSING = 32;
export const WORD = 64;

const SURROGATES_START = 0xd800;
const SURROGATES_END = 0xe000;
/** The replacement of half a surrogate pair when text is encoded as UTF-8. */
const REPLACEMENT = 0xfffd;

let properties: Uint8Array | undefined;
let newerLowerCase: ReadonlyMap<number, number> | undefined;

/** The property bits of every code point, by code point; made at first use. */
export function propertyTable(): Uint8Array {
  if (properties !== undefined) return properties;
  const table = new Uint8Array(0x110000);
  mark(table, tables.REMOVED, REMOVED);
  mark(table, tables.SPACES, SPACE);
  mark(table, tables.PUNCTUATION, PUNCTUATION);
  mark(table, tables.IDEOGRAPHS, IDEOGRAPH);
  mark(table, tables.MARKS, MARK);
  mark(table, tables.DECOMPOSING, DECOMPOSING);
  mark(table, tables.WORD, WORD);
  return (properties = table);
}

/** The code point at `i`; half a surrogate pair counts as U+FFFD. */
export function scalarValueAt(text: string, i: number): number {
  const code = text.codePointAt(i)!;
  return code >= SURROGATES_START && code < SURROGATES_END ? REPLACEMENT : code;
}

/** One code point in lower case, regardless of its neighbours (no final sigma). */
export function lowerCaseOf(code: number): string {
  newerLowerCase ??= parsePairs(tables.NEWER_LOWER_CASE);
  const newer = newerLowerCase.get(code);
  return newer === undefined ? String.fromCodePoint(code).toLowerCase() : String.fromCodePoint(newer);
}

function mark(table: Uint8Array, packed: string, bit: number): void {
  const numbers = parseNumbers(packed);
  let at = 0;
  for (let i = 0; i < numbers.length; i += 2) {
    at += numbers[i];
    for (const end = at + numbers[i + 1]; at < end; at++) table[at] |= bit;
  }
}

function parsePairs(packed: string): ReadonlyMap<number, number> {
  const numbers = parseNumbers(packed);
  const pairs = new Map<number, number>();
  for (let i = 0; i < numbers.length; i += 2) pairs.set(numbers[i], numbers[i + 1]);
  return pairs;
}

function parseNumbers(packed: string): number[] {
  return packed.split(' ').map((digits) => Number.parseInt(digits, 36));
}
