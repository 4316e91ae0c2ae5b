import { ownCopy } from '../common/utf16.js';
import { badInput } from './bad-input.js';
import type { ByteSource } from './byte-source.js';
import { linesOf, readLineBlocks } from './lines.js';
import { type SourcedDocument, sourcedDocument } from './sourced-document.js';

/**
 * Reads one document per line: `id \t text`, or `id \t title \t text` (as the authors' preprocessing writes). The first
 * line decides which; a later line with another number of tabs is a damaged record.
 */
export async function* readTsv(source: ByteSource): AsyncGenerator<SourcedDocument[]> {
  const file = source.name;
  let columns = 0;
  for await (const block of readLineBlocks(source)) {
    const rows = linesOf(block).filter(({ text }) => text !== '');
    yield rows.map(({ text, line }) => {
      const origin = { file, line };
      const cells = text.split('\t');
      if (columns === 0) {
        if (cells.length !== 2 && cells.length !== 3) {
          throw badInput(
            origin,
            `2 columns (id, text) or 3 (id, title, text) separated by tabs were expected, not ${cells.length}`,
            'Separate the columns by one tab each and replace tabs inside the text by blanks.',
          );
        }
        columns = cells.length;
      } else if (cells.length !== columns) {
        throw badInput(
          origin,
          `${columns} columns separated by tabs were expected, as on the first line, not ${cells.length}`,
          'Replace tabs and line breaks inside the text by blanks.',
        );
      }
      const title = columns === 3 ? cells[1] : undefined;
      return sourcedDocument(ownCopy(cells[0]), title, cells.at(-1)!, origin);
    });
  }
}
