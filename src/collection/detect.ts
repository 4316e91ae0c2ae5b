import { basename } from 'node:path';
import { badInput } from './bad-input.js';
import type { ByteSource } from './byte-source.js';
import { sqliteMagic } from './databases.js';
import type { DocumentFormat } from './sourced-document.js';

/** Bytes of a file by which its format is detected. */
const sniffBytes = 1 << 16;

/** The format of a file by its first bytes, if they have a known one. */
export async function sniffFormat(source: ByteSource): Promise<DocumentFormat | 'empty' | undefined> {
  const bytes = await source.peek(sniffBytes);
  const first = bytes.toString('latin1');
  if (first.startsWith(sqliteMagic)) return 'sqlite';
  if (first.startsWith('%PDF-')) return 'pdf';
  const start = first.replace(/^\u00ef\u00bb\u00bf/, '').trimStart();
  if (start === '') return bytes.length < sniffBytes ? 'empty' : undefined;
  if (start.startsWith('{')) return 'jsonl';
  if (start.startsWith('<')) {
    if (/<doc>[^<]*<docno>/i.test(start)) return /<dochdr>/i.test(start) ? 'trecweb' : 'trec';
    return /^<(?:!doctype html|html)\b/i.test(start) ? 'html' : undefined;
  }
  const columns = /^[^\n]*/.exec(start)![0].split('\t').length;
  return columns === 2 || columns === 3 ? 'tsv' : undefined;
}

/** The format of a file that the user named: by the ending of its name, or by its first bytes. */
export async function detectFormat(source: ByteSource): Promise<DocumentFormat> {
  const byName = formatByName(source.name);
  if (byName === 'csv' || byName === 'markdown') return byName;
  const format = await sniffFormat(source);
  if (format !== undefined && format !== 'empty') return format;
  if (byName === 'html') return byName;
  const origin = { file: source.name };
  if (format === 'empty') {
    throw badInput(origin, 'the file is empty', 'Name a file or folder that holds documents.');
  }
  throw badInput(
    origin,
    'cannot tell the format: the file begins neither with a JSON object, nor with TREC <DOC> and <DOCNO>, ' +
      'nor with a line of 2 or 3 columns separated by tabs',
    'Name the format: --format beir, jsonl, tsv, trec or trecweb, csv, or text for a file that is one document.',
  );
}

/** The endings of names by format. */
const endings: readonly (readonly [DocumentFormat, RegExp])[] = [
  ['jsonl', /^(?:jsonl|json|ndjson)$/],
  ['tsv', /^tsv$/],
  ['csv', /^csv$/],
  ['markdown', /^(?:md|mdx|markdown|mkd)$/],
  ['html', /^(?:html?|xhtml)$/],
  ['pdf', /^pdf$/],
  ['text', /^(?:txt|text|rst|adoc|asciidoc|org)$/],
];

/** The format of a file by the ending of its name, before `.gz`. */
export function formatByName(path: string): DocumentFormat | undefined {
  const ending = /\.([a-z]+)(?:\.gz)?$/i.exec(path)?.[1].toLowerCase() ?? '';
  return endings.find(([, pattern]) => pattern.test(ending))?.[0];
}

/** True for formats with several documents in a file that have an ending of their own. */
export function isRecordFormat(format: DocumentFormat | undefined): boolean {
  return format === 'jsonl' || format === 'tsv' || format === 'csv';
}

/**
 * The format of a file with several documents in a folder. JSONL, TSV and CSV files are recognised by their names, so
 * that a damaged one is reported, not skipped. TREC files have no common ending and are recognised by their first bytes.
 */
export async function detectInFolder(source: ByteSource): Promise<DocumentFormat | undefined> {
  const byName = formatByName(source.name);
  if (isRecordFormat(byName)) return byName;
  if (/^read|dtds?$/.test(basename(source.name).toLowerCase())) return undefined;
  const format = await sniffFormat(source);
  return format === 'trec' || format === 'trecweb' ? format : undefined;
}
