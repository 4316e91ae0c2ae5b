import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readTsv } from '../../src/collection/tsv.js';
import { collect, cut, expectRefusal, sourceOf } from './support.js';

async function read(text: string) {
  return (await collect(readTsv(sourceOf(text)))).flat();
}

const cell = fc.string({ unit: 'grapheme', maxLength: 30 }).filter((text) => !/[\t\n\r]/.test(text));
const id = cell.filter((text) => text !== '' && !/\s/.test(text) && !text.startsWith('\ufeff'));

describe('TSV documents', () => {
  it('come back as they were written, with and without titles', async () => {
    const rows = fc.oneof(
      fc.array(fc.record({ id, text: cell })),
      fc.array(fc.record({ id, title: cell, text: cell })),
    );
    await fc.assert(
      fc.asyncProperty(rows, fc.array(fc.nat(), { maxLength: 6 }), async (documents, places) => {
        const lines = documents.map((document) => `${Object.values(document).join('\t')}\n`);
        const found = (await collect(readTsv(sourceOf(...cut(Buffer.from(lines.join('')), places))))).flat();
        expect(found.map(({ origin: _origin, ...document }) => document)).toEqual(documents);
        expect(found.map(({ origin }) => origin.line)).toEqual(documents.map((_, i) => i + 1));
      }),
    );
  });

  it('may have empty columns and \\r\\n', async () => {
    expect((await read('1\t\ttext\r\n2\ttitle\t\r\n')).map(({ title, text }) => [title, text])).toEqual([
      ['', 'text'],
      ['title', ''],
    ]);
  });

  it.each([
    ['no tab here\n', ['test.txt:1: 2 columns (id, text) or 3 (id, title, text)', 'not 1', 'one tab each']],
    ['1\ta\tb\tc\n', ['test.txt:1:', 'not 4']],
    ['1\ta\n2\tb\tc\n', ['test.txt:2: 2 columns', 'as on the first line, not 3', 'Replace tabs']],
    ['1\ta\tb\n2\tb\n', ['test.txt:2: 3 columns', 'not 2']],
    ['1\ta\n\tb\n', ['test.txt:2: the document id is empty']],
    ['1\ta\nx y\tb\n', ['test.txt:2: the document id "x y" contains white space']],
  ])('refuse %j with file, line and fix', async (text, parts) => {
    await expectRefusal(read(text), parts);
  });
});
