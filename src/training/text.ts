import { createHash } from 'node:crypto';
import type { Tokenizer } from '../bert/index.js';
import { ByteSource, readDocuments, readLines } from '../collection/index.js';
import { inputError } from '../common/errors.js';

/** A text in word pieces, which follow each other without a mark between its parts. */
export interface TextPieces {
  readonly label: string;
  readonly pieces: Uint16Array | Int32Array;
  readonly texts: number;
  /** SHA-256 of the pieces. */
  readonly hash: string;
}

/** The texts of a corpus: the lines of a file of plain text (.txt, .txt.gz), else the documents of a collection. */
export async function* readTexts(path: string): AsyncGenerator<string> {
  if (/\.txt(?:\.gz)?$/i.test(path)) {
    const source = ByteSource.open(path);
    try {
      for await (const { text } of readLines(source)) yield text;
    } finally {
      await source.close();
    }
  } else {
    for await (const { title, text } of readDocuments(path)) {
      if (title !== undefined) yield title;
      yield text;
    }
  }
}

/** The word pieces of texts. Two bytes each are enough for most vocabularies. */
export async function tokenizedText(
  label: string,
  texts: AsyncIterable<string> | Iterable<string>,
  tokenizer: Tokenizer,
  onProgress: (pieces: number) => void,
): Promise<TextPieces> {
  const Kind = tokenizer.vocabularySize <= 2 ** 16 ? Uint16Array : Int32Array;
  let all = new Kind(1 << 16);
  let length = 0;
  let count = 0;
  for await (const text of texts) {
    const pieces = tokenizer.encode(text);
    if (pieces.length === 0) continue;
    if (length + pieces.length > all.length) {
      const larger = new Kind(2 * (length + pieces.length));
      larger.set(all.subarray(0, length));
      all = larger;
    }
    all.set(pieces, length);
    length += pieces.length;
    count++;
    onProgress(length);
  }
  if (length === 0) throw inputError(`${label}: there is no text in it.`);
  const pieces = all.subarray(0, length);
  return { label, pieces, texts: count, hash: hashOf(pieces) };
}

const hashedBytes = 1 << 26;

function hashOf({ buffer, byteOffset, byteLength }: TextPieces['pieces']): string {
  const hash = createHash('sha256');
  for (let from = 0; from < byteLength; from += hashedBytes) {
    const bytes = Math.min(hashedBytes, byteLength - from);
    hash.update(new Uint8Array(buffer, byteOffset + from, bytes));
  }
  return hash.digest('hex');
}
