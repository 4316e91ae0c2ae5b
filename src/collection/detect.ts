import { basename } from 'node:path';
import { badInput } from './bad-input.js';
import type { ByteSource } from './byte-source.js';
import type { DocumentFormat } from './sourced-document.js';

/** Bytes of a file by which its format is detected. */
const sniffBytes = 1 << 16;

/** The format of a file by its first bytes, if they have a known one. */
export async function sniffFormat(source: ByteSource): Promise<DocumentFormat | 'empty' | undefined> {
  const bytes = await source.peek(sniffBytes);
  const start = bytes
    .toString('latin1')
    .replace(/^\u00ef\u00bb\u00bf/, '')
    .trimStart();
  if (start === '') return bytes.length < sniffBytes ? 'empty' : undefined;
  if (start.startsWith('{')) return 'jsonl';
  if (start.startsWith('<')) {
    if (!/<doc>[^<]*<docno>/i.test(start)) return undefined;
    return /<dochdr>/i.test(start) ? 'trecweb' : 'trec';
  }
  const columns = /^[^\n]*/.exec(start)![0].split('\t').length;
  return columns === 2 || columns === 3 ? 'tsv' : undefined;
}

/** As {@link sniffFormat}, for a file that the user named: an unknown format is an error. */
export async function detectFormat(source: ByteSource): Promise<DocumentFormat> {
  const format = await sniffFormat(source);
  if (format !== undefined && format !== 'empty') return format;
  throw badInput(
    { file: source.name },
    format === 'empty'
      ? 'the file is empty'
      : 'cannot tell the format: the file begins neither with a JSON object, nor with TREC <DOC> and <DOCNO>, ' +
          'nor with a line of 2 or 3 columns separated by tabs',
    format === 'empty'
      ? 'Name a file or folder that holds documents.'
      : 'Name the format: --format beir, jsonl, tsv, trec or trecweb.',
  );
}

/**
 * The format of a file in a folder. JSONL and TSV files are recognised by their names, so that a damaged one is
 * reported, not skipped. TREC files have no common ending and are recognised by their first bytes.
 */
export async function detectInFolder(source: ByteSource): Promise<DocumentFormat | undefined> {
  const name = basename(source.name).toLowerCase();
  if (/\.(?:jsonl|json|ndjson)(?:\.gz)?$/.test(name)) return 'jsonl';
  if (/\.tsv(?:\.gz)?$/.test(name)) return 'tsv';
  if (/^read|dtds?$/.test(name)) return undefined;
  const format = await sniffFormat(source);
  return format === 'trec' || format === 'trecweb' ? format : undefined;
}
