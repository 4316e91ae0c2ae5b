import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { readCsv } from '../../src/collection/csv.js';
import type { DocumentFields } from '../../src/collection/index.js';
import { collect, cut, expectRefusal, sourceOf, withoutOrigin } from './support.js';

async function read(content: string, fields: DocumentFields = {}, places: readonly number[] = []) {
  const said: string[] = [];
  const bytes = Buffer.from(content);
  const pieces = places.length === 0 ? [bytes] : cut(bytes, places);
  const batches = await collect(
    readCsv(sourceOf(...pieces), { fields, onGuess: (sentence) => said.push(sentence) }),
  );
  return { documents: batches.flat().map(withoutOrigin), said, origins: batches.flat() };
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

describe('CSV', () => {
  it('is read by its header; the columns are guessed and said', async () => {
    const { documents, said } = await read('\ufeffID,Title,Price,Body\r\na,One,1,x\r\nb,,2,"y, ""z"""\r\n');
    expect(documents).toEqual([
      { id: 'a', title: 'One', text: 'x' },
      { id: 'b', text: 'y, "z"' },
    ]);
    expect(said).toEqual(['Reading test.txt as CSV: id from "ID", title from "Title", text from "Body".']);
  });

  it('without the usual names has numbered rows and all other columns as text', async () => {
    const { documents, said } = await read('Nr;Ort;Notiz\n7;Ulm;"eins\nzwei"\n\n8;Köln;\n');
    expect(documents).toEqual([
      { id: '1', text: '7\nUlm\neins\nzwei' },
      { id: '2', text: '8\nKöln' },
    ]);
    expect(said[0]).toContain(
      'as CSV with ";" between columns: id is the number of the row, no title, text from "Nr"',
    );
  });

  it('takes the columns that are named, whatever their case, and joins several texts', async () => {
    const fields = { id: 'SKU', title: 'name', text: ['Description', 'materials'] };
    const { documents } = await read('sku,name,description,materials\n1,n,d,m\n2,,d,\n', fields);
    expect(documents).toEqual([
      { id: '1', title: 'n', text: 'd\nm' },
      { id: '2', text: 'd' },
    ]);
    await expectRefusal(read('a,b\n1,2\n', { text: 'c' }), [
      'test.txt:1: there is no column "c"; the columns are "a", "b"',
      '--text-field',
    ]);
    await expectRefusal(read('id,title\n1,2\n'), [
      'test.txt:1: no column is left for the text',
      '--text-field',
    ]);
  });

  it('of one column is read, and an empty file has no documents', async () => {
    expect((await read('text\nx\n')).documents).toEqual([{ id: '1', text: 'x' }]);
    expect((await read('')).documents).toEqual([]);
  });

  it('is refused where it is damaged, with the line', async () => {
    await expectRefusal(read('id,text\na,"x\ny"\nb,c,d\n'), ['test.txt:4: 2 columns were expected', 'not 3']);
    await expectRefusal(read('id,text\na,x\nb,"y\n'), ['test.txt:3: ', 'never closed']);
    await expectRefusal(read('id,text\na,"x" y\n'), [
      'test.txt:2: a closing quote is followed by " y"',
      '("")',
    ]);
    await expectRefusal(read('id,text\n,x\n'), [
      'test.txt:2: the document id in column "id" of row 1 is empty',
    ]);
    await expectRefusal(read('id,text\na b,x\n'), ['test.txt:2: the document id "a b" contains white space']);
    const latin1 = Buffer.concat([Buffer.from('id,text\na,'), Buffer.from([0xfc, 0x0a])]);
    await expectRefusal(collect(readCsv(sourceOf(latin1), { fields: {} })), ['test.txt:2: byte 10', 'iconv']);
    const open = `id,text\na,"${'x\n'.repeat(17 << 20)}`;
    await expectRefusal(read(open), [
      'test.txt:2: the record that starts here is longer than the limit of 32 MiB',
    ]);
  });

  it('comes back as it was written, wherever the stream is cut', async () => {
    const cell = fc.string({ unit: fc.constantFrom('a', 'ü', ',', ';', '"', '\n', '\r', '\t', ' ') });
    const rows = fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(
        rows,
        fc.array(fc.nat(), { maxLength: 5 }),
        fc.constantFrom('\n', '\r\n'),
        async (table, places, end) => {
          const lines = table.map(([title, text], i) => `${i},${quoted(title)},${quoted(text)}`);
          const { documents, origins } = await read(['id,title,text', ...lines].join(end), {}, places);
          expect(documents).toEqual(
            table.map(([title, text], i) => ({ id: String(i), ...(title === '' ? {} : { title }), text })),
          );
          const line = (i: number) => 2 + table.slice(0, i).flat().join('').split('\n').length - 1 + i;
          expect(origins.map(({ origin }) => origin.line)).toEqual(table.map((_, i) => line(i)));
        },
      ),
    );
  });
});
