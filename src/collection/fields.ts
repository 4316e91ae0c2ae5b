import { usageError } from '../common/errors.js';
import { ownCopy } from '../common/utf16.js';
import { badInput, quote, quoteAll } from './bad-input.js';
import {
  type DocumentFields,
  type ReaderOptions,
  type SourcedDocument,
  sourcedDocument,
} from './sourced-document.js';
import type { Origin } from './types.js';

/** The names of columns that are looked for, in this order and whatever their case. */
const usualNames = {
  id: ['_id', 'id', 'docno', 'docid', 'doc_id', 'document_id', 'uuid', 'key', 'slug', 'sku', 'url'],
  title: ['title', 'name', 'headline', 'heading', 'subject'],
  text: ['text', 'contents', 'content', 'body', 'passage', 'description', 'abstract', 'summary'],
};

/** The names of the text fields that the user gave; undefined where the usual ones are meant. */
export function namedTextFields({ text }: DocumentFields): readonly string[] | undefined {
  const names = typeof text === 'string' ? [text] : text;
  if (names?.length === 0) throw usageError('fields.text is empty; name at least one field.');
  return names;
}

/** A value as text; undefined for objects and binary data. Null and undefined are empty, lists are joined. */
export function valueText(value: unknown): string | undefined {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') {
    return String(value);
  }
  if (value instanceof Date) return value.toISOString();
  if (!Array.isArray(value)) return undefined;
  const parts = value.map(valueText);
  return parts.includes(undefined) ? undefined : parts.filter(Boolean).join(' ');
}

/** Turns the rows of a table into documents, by the names of its columns. */
export class RowReader {
  readonly #id: number | undefined;
  readonly #title: number | undefined;
  readonly #text: readonly number[];
  #rows = 0;

  /** Chooses the columns, and says which; throws where one that was named does not exist, or none can hold the text. */
  constructor(
    readonly columns: readonly string[],
    origin: Origin,
    /** The table, in words. */
    what: string,
    { fields, onGuess }: ReaderOptions,
  ) {
    const lower = columns.map((name) => name.trim().toLowerCase());
    const find = (part: 'id' | 'title' | 'text', name: string): number => {
      const at = columns.indexOf(name);
      if (at !== -1) return at;
      const other = lower.indexOf(name.trim().toLowerCase());
      if (other !== -1) return other;
      throw badInput(
        origin,
        `there is no column ${quote(name)}; the columns are ${quoteAll(columns)}`,
        `Name one of them with --${part}-field.`,
      );
    };
    const guess = (part: 'id' | 'title' | 'text'): number | undefined => {
      const name = usualNames[part].find((usual) => lower.includes(usual));
      return name === undefined ? undefined : lower.indexOf(name);
    };
    this.#id = fields.id === undefined ? guess('id') : find('id', fields.id);
    this.#title = fields.title === undefined ? guess('title') : find('title', fields.title);
    const named = namedTextFields(fields)?.map((name) => find('text', name));
    const usual = named === undefined ? guess('text') : undefined;
    const others = columns.map((_, i) => i).filter((i) => i !== this.#id && i !== this.#title);
    this.#text = named ?? (usual === undefined ? others : [usual]);
    if (this.#text.length === 0) {
      throw badInput(
        origin,
        `no column is left for the text; the columns are ${quoteAll(columns)}`,
        'Name the column of the text with --text-field.',
      );
    }
    const name = (column: number): string => quote(columns[column]);
    const id = this.#id === undefined ? 'id is the number of the row' : `id from ${name(this.#id)}`;
    const title = this.#title === undefined ? 'no title' : `title from ${name(this.#title)}`;
    onGuess?.(`Reading ${what}: ${id}, ${title}, text from ${this.#text.map(name).join(', ')}.`);
  }

  /** The document of the next row. */
  read(cells: readonly unknown[], origin: Origin): SourcedDocument {
    const row = ++this.#rows;
    const textOf = (column: number): string => {
      const text = valueText(cells[column]);
      if (text !== undefined) return text;
      throw badInput(
        origin,
        `column ${quote(this.columns[column])} of row ${row} holds binary data or an object`,
        'Choose another column, or convert it to text.',
      );
    };
    const id = this.#id === undefined ? String(row) : textOf(this.#id);
    if (id === '') {
      throw badInput(
        origin,
        `the document id in column ${quote(this.columns[this.#id!])} of row ${row} is empty`,
        'Fill it in, or name another column with --id-field.',
      );
    }
    const text = this.#text.map(textOf).filter(Boolean).join('\n');
    const title = this.#title === undefined ? '' : textOf(this.#title);
    return sourcedDocument(ownCopy(id), title || undefined, text, origin);
  }
}
