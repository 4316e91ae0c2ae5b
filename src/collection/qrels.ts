import { getOrInsert } from '../common/get-or-insert.js';
import { badInput, quote } from './bad-input.js';
import { otherSplits, requireQrels } from './beir.js';
import { ByteSource } from './byte-source.js';
import { ColumnScanner } from './columns.js';
import { readLineBlocks } from './lines.js';
import type { Qrels } from './types.js';
import { isFolder } from './walk.js';

export interface ReadQrelsOptions {
  /** The split of a BEIR folder (`test`). */
  readonly split?: string;
  /** Called with a sentence that names the file of a folder that was taken. */
  readonly onGuess?: (sentence: string) => void;
}

/**
 * Reads relevance judgements: TREC (`query iteration document level`) or BEIR (a header line, then
 * `query document level`), or a BEIR folder. Levels are whole numbers and may be negative (TREC's junk pages).
 */
export async function readQrels(path: string, options: ReadQrelsOptions = {}): Promise<Qrels> {
  const file = (await isFolder(path)) ? await requireQrels(path, options.split) : path;
  if (file !== path) options.onGuess?.(`Judgements of ${path}: ${file}${await otherSplits(file)}.`);
  const source = ByteSource.open(file);
  const qrels = new Map<string, Map<string, number>>();
  let documentColumn = 2;
  let levelColumn = 3;
  let first = true;
  for await (const block of readLineBlocks(source)) {
    const scanner = new ColumnScanner(block);
    while (scanner.next()) {
      const origin = { file: source.name, line: scanner.line };
      if (first) {
        first = false;
        if (scanner.count === 3 && /^query[-_]?id$/i.test(scanner.text(0))) {
          documentColumn = 1;
          levelColumn = 2;
          continue;
        }
      }
      if (scanner.count !== levelColumn + 1) {
        throw badInput(
          origin,
          `${levelColumn + 1} columns were expected, not ${scanner.count}`,
          levelColumn === 3
            ? 'Write "query 0 document level"; three columns need BEIR’s header "query-id corpus-id score".'
            : 'Write "query<tab>document<tab>level", as the header line says.',
        );
      }
      const level = scanner.number(levelColumn);
      if (!Number.isSafeInteger(level)) {
        throw badInput(
          origin,
          `the relevance level ${quote(scanner.text(levelColumn))} is not a whole number`,
          'Write a level such as 0, 1 or 2 in the last column.',
        );
      }
      const query = scanner.text(0);
      const document = scanner.text(documentColumn);
      const judged = getOrInsert(qrels, query, () => new Map());
      if (judged.has(document)) {
        throw badInput(
          origin,
          `document ${quote(document)} is judged twice for query ${quote(query)}`,
          'Remove one of the two lines.',
        );
      }
      judged.set(document, level);
    }
  }
  return qrels;
}
