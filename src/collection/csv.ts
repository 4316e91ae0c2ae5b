import { badInput } from './bad-input.js';
import type { ByteSource } from './byte-source.js';
import { CsvCutter, guessSeparator } from './csv-records.js';
import { RowReader } from './fields.js';
import { readLineBlocks } from './lines.js';
import type { ReaderOptions, SourcedDocument } from './sourced-document.js';

/**
 * Reads CSV (RFC 4180) with a header row: cells may be quoted, and quoted ones may hold line breaks. The character
 * between columns is the most frequent of `,`, `;`, `|` and tab in the header.
 */
export async function* readCsv(
  source: ByteSource,
  options: ReaderOptions,
): AsyncGenerator<SourcedDocument[]> {
  const file = source.name;
  let cutter: CsvCutter | undefined;
  let reader: RowReader | undefined;
  for await (const { bytes, ascii } of readLineBlocks(source)) {
    let text = bytes.toString(ascii ? 'latin1' : 'utf8');
    // Only the end of the file may lack a line end.
    if (!text.endsWith('\n')) text += '\n';
    cutter ??= new CsvCutter(file, guessSeparator(text));
    const documents: SourcedDocument[] = [];
    for (const { cells, line } of cutter.push(text)) {
      if (cells.length === 1 && cells[0].trim() === '') continue;
      const origin = { file, line };
      if (reader === undefined) {
        const { separator } = cutter;
        const form = separator === ',' ? 'CSV' : `CSV with ${JSON.stringify(separator)} between columns`;
        reader = new RowReader(cells, origin, `${file} as ${form}`, options);
        continue;
      }
      const { columns } = reader;
      if (cells.length !== columns.length) {
        throw badInput(
          origin,
          `${columns.length} columns were expected, as in the header, not ${cells.length}`,
          'Quote cells that hold separators or line breaks ("…"), and double the quotes inside them ("").',
        );
      }
      documents.push(reader.read(cells, origin));
    }
    yield documents;
  }
  cutter?.finish();
}
