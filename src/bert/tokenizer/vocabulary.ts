import { inputError } from '../../common/errors.js';
import { isJsonObject } from '../../common/json.js';
import { badFile } from '../json.js';

export type Vocabulary = ReadonlyMap<string, number>;

/** Reads the text of a `vocab.txt`: one piece per line, whose id is the line's number from zero. */
export function parseVocabularyText(text: string, file: string): Vocabulary {
  const lines = text.split('\n');
  while (lines.length > 0 && lines.at(-1)!.trim() === '') lines.pop();
  const vocabulary = new Map<string, number>();
  for (const [id, line] of lines.entries()) {
    const piece = line.endsWith('\r') ? line.slice(0, -1) : line;
    const earlier = vocabulary.get(piece);
    if (earlier !== undefined) {
      throw inputError(`${file}:${id + 1}: "${piece}" already stands on line ${earlier + 1}`);
    }
    vocabulary.set(piece, id);
  }
  if (vocabulary.size === 0) throw badFile(file, 'the vocabulary is empty');
  return vocabulary;
}

/** Reads the `vocab` object of a WordPiece tokenizer.json: piece → id. */
export function parseVocabularyObject(value: unknown, file: string): Vocabulary {
  if (!isJsonObject(value)) throw badFile(file, 'its model has no vocabulary');
  const vocabulary = new Map<string, number>();
  const pieceOf = new Map<number, string>();
  for (const [piece, id] of Object.entries(value)) {
    if (typeof id !== 'number' || !Number.isSafeInteger(id) || id < 0) {
      throw badFile(file, `"${piece}" has id ${JSON.stringify(id)}, expected a whole number`);
    }
    const rival = pieceOf.get(id);
    if (rival !== undefined) {
      throw badFile(file, `"${rival}" and "${piece}" both have id ${id}`);
    }
    vocabulary.set(piece, id);
    pieceOf.set(id, piece);
  }
  if (vocabulary.size === 0) throw badFile(file, 'the vocabulary is empty');
  return vocabulary;
}

/**
 * True if a vocabulary without a tokenizer_config.json (Google's releases) was made from text in lower case. Cased
 * vocabularies have capitals in a third of their pieces, uncased ones in their special tokens only.
 */
export function looksUncased(vocabulary: Vocabulary): boolean {
  let capitalised = 0;
  for (const piece of vocabulary.keys()) if (/^[^[]*[A-Z]/.test(piece)) capitalised++;
  return capitalised < vocabulary.size / 100;
}
