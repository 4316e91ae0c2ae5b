import { CsvCutter, guessSeparator } from '../../../src/collection/csv-records.js';
import { RowReader } from '../../../src/collection/fields.js';

/** A document that was pasted or dropped. */
export interface PastedDocument {
  readonly id: string;
  readonly title?: string;
  readonly text: string;
}

/**
 * The documents of a pasted text: JSON objects, one per line; else separated by blank lines where it has any, else one
 * per line. White space at their ends goes. Without ids of their own they are numbered from 1; where several files use the
 * same ids, later documents get other ones.
 */
export function pastedDocuments(text: string): PastedDocument[] {
  const clean = text.replaceAll('\r\n', '\n').trim();
  if (clean === '') return [];
  const lines = clean.split('\n').filter((line) => line.trim() !== '');
  const objects = lines.map(jsonDocument);
  if (objects.every((object) => object !== undefined)) {
    const taken = new Set<string>();
    return objects.map(({ id, title, text }, i) => {
      const given = String(id ?? i + 1);
      let own = given;
      for (let n = 2; taken.has(own); n++) own = `${given} (${n})`;
      taken.add(own);
      return { id: own, ...(title ? { title } : {}), text };
    });
  }
  const separator = /\n[ \t]*\n/.test(clean) ? /\n(?:[ \t]*\n)+/ : '\n';
  return clean
    .split(separator)
    .map((document) => document.trim())
    .filter((document) => document !== '')
    .map((text, i) => ({ id: String(i + 1), text }));
}

/** The document of a line of JSONL; undefined where the line is something else. */
function jsonDocument(line: string): (Omit<PastedDocument, 'id'> & { readonly id?: unknown }) | undefined {
  if (!line.trimStart().startsWith('{')) return undefined;
  try {
    const value = JSON.parse(line) as Record<string, unknown>;
    const text = value.text ?? value.contents ?? value.body;
    if (typeof text !== 'string') return undefined;
    const { title } = value;
    return { id: value._id ?? value.id, text, ...(typeof title === 'string' ? { title } : {}) };
  } catch {
    return undefined;
  }
}

/** A file that was dropped or opened. */
export interface DroppedFile {
  readonly name: string;
  readonly text: string;
}

/** The text of a file's bytes: UTF-8, else windows-1252, which spreadsheets write. */
export function decodedText(name: string, bytes: Uint8Array): string {
  if (bytes.includes(0)) {
    throw new Error(`${name} is not a text file. Documents come from text, JSONL and CSV.`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/** A pasted text and files after it. Beside lines of JSON, the documents of a plain text become lines of JSON too. */
export function withFiles(pasted: string, files: readonly DroppedFile[]): string {
  const parts = [pasted.trim(), ...files.map(({ name, text }) => droppedText(name, text))].filter(Boolean);
  const plain = parts.filter((part) => !isJson(part));
  if (plain.length === 0) return parts.join('\n');
  if (plain.length === parts.length) return parts.join('\n\n');
  return parts.map((part) => (isJson(part) ? part : asJson(part))).join('\n');
}

/** The documents of a plain text as lines of JSON. */
function asJson(text: string): string {
  return pastedDocuments(text)
    .map((document) => JSON.stringify({ text: document.text }))
    .join('\n');
}

function isJson(text: string): boolean {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .every((line) => jsonDocument(line) !== undefined);
}

/** The text of a file as the field for documents takes it: CSV becomes lines of JSON, other files stay as they are. */
export function droppedText(name: string, text: string): string {
  if (!/\.(?:csv|tsv)$/i.test(name)) return text.trim();
  const whole = text.endsWith('\n') ? text : `${text}\n`;
  const cutter = new CsvCutter(name, guessSeparator(whole));
  const [header, ...rows] = cutter
    .push(whole)
    .filter(({ cells }) => cells.length > 1 || cells[0].trim() !== '');
  cutter.finish();
  if (!header) return '';
  const reader = new RowReader(header.cells, { file: name, line: 1 }, name, { fields: {} });
  return rows
    .map(({ cells, line }) => {
      const { id, title, text } = reader.read(cells, { file: name, line });
      return JSON.stringify({ id, title, text });
    })
    .join('\n');
}
