import { mkdirSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  readDocuments,
  type ReadDocumentsOptions,
  type SourcedDocument,
} from '../../src/collection/index.js';
import { markdownToText } from '../../src/collection/markdown.js';
import { collect, expectRefusal, scratchFolder, withoutOrigin } from './support.js';

const scratch = scratchFolder();

/** Reads a folder, with everything that was said about it. */
async function read(
  path: string,
  options: ReadDocumentsOptions = {},
): Promise<{
  documents: Pick<SourcedDocument, 'id' | 'title' | 'text'>[];
  said: string[];
  skipped: string[];
}> {
  const said: string[] = [];
  const skipped: string[] = [];
  const documents = await collect(
    readDocuments(path, {
      ...options,
      onGuess: (sentence) => said.push(sentence),
      onSkip: (file) => skipped.push(file.slice(path.length + 1)),
    }),
  );
  return { documents: documents.map(withoutOrigin), said, skipped };
}

describe('a folder of pages', () => {
  it('is read with paths as ids and titles from the pages, and what was guessed is said', async () => {
    scratch('notes/a.md', '# First\n\nSome *words*.\n');
    scratch('notes/guides/b.markdown', '---\ntitle: "Second: a guide"\n---\nMore words.\n');
    scratch('notes/my plans/c 100%.txt', 'Plain  words\n\n\tand more');
    scratch('notes/page.HTML', '<title>A &amp; B</title><p>Visible<script>not()</script>');
    scratch('notes/packed.md.gz', gzipSync('# Packed\ninside'));
    scratch('notes/logo.png', Buffer.from([0x89, 0x50]));
    scratch('notes/package.json', '{\n  "name": "notes"\n}\n');
    scratch('notes/.git/hidden.md', '# Hidden');
    scratch('notes/node_modules/package/README.md', '# Installed');
    const { documents, said, skipped } = await read(scratch('notes'));
    expect(documents).toEqual([
      { id: 'a.md', title: 'First', text: 'Some words.' },
      { id: 'guides/b.markdown', title: 'Second: a guide', text: 'More words.' },
      { id: 'my%20plans/c%20100%25.txt', text: 'Plain words\nand more' },
      { id: 'packed.md.gz', title: 'Packed', text: 'inside' },
      { id: 'page.HTML', title: 'A & B', text: 'Visible' },
    ]);
    expect(decodeURIComponent(documents[2].id)).toBe('my plans/c 100%.txt');
    expect(said).toEqual([
      `Reading 3 Markdown, 1 HTML and 1 text files of ${scratch('notes')}: id from the path, title from ` +
        'front matter, the first heading or <title>; skipped 2 others (1 .png, 1 .json) and 2 hidden or node_modules.',
    ]);
    expect(skipped).toEqual(['logo.png', 'package.json']);
  });

  it('of one format is read where that is named', async () => {
    const { documents, said } = await read(scratch('notes'), { format: 'markdown' });
    expect(documents.map(({ id }) => id)).toEqual(['a.md', 'guides/b.markdown', 'packed.md.gz']);
    expect(said[0]).toMatch(
      /^Reading 3 Markdown files .* front matter or the first heading; skipped 4 others/,
    );
    mkdirSync(scratch('none'));
    await expectRefusal(read(scratch('none'), { format: 'markdown' }), [
      'the folder holds no markdown files',
      '.md',
    ]);
  });

  it('skips files that are not text, with a count, and reads any encoding', async () => {
    scratch('odd/binary.txt', Buffer.from([0x61, 0, 1, 2]));
    scratch('odd/latin1.txt', Buffer.from('Müller’s café'.replace('’', '\u0092'), 'latin1'));
    scratch('odd/utf16.txt', Buffer.from('\ufeffzwölf', 'utf16le'));
    scratch('odd/utf8.md', '\ufeff# Größe\nzwölf');
    scratch('odd/declared.html', Buffer.from('<meta charset="iso-8859-2"><h1>\xb5</h1>', 'latin1'));
    const { documents, said, skipped } = await read(scratch('odd'));
    expect(documents).toEqual([
      { id: 'declared.html', title: 'ľ', text: 'ľ' },
      { id: 'latin1.txt', text: 'Müller’s café' },
      { id: 'utf16.txt', text: 'zwölf' },
      { id: 'utf8.md', title: 'Größe', text: 'zwölf' },
    ]);
    expect(said[1]).toBe(`Skipped 1 of them, without text: ${scratch('odd/binary.txt')}.`);
    expect(skipped).toEqual(['binary.txt']);
  });

  it('is told from one of records by what most of its bytes are', async () => {
    scratch('corpus/part.jsonl', `${JSON.stringify({ _id: 'a', text: 'x'.repeat(500) })}\n`);
    scratch('corpus/README.md', 'About the corpus. '.repeat(100));
    scratch('corpus/notes.md', 'Short notes.');
    expect((await read(scratch('corpus'))).documents.map(({ id }) => id)).toEqual(['a']);
    expect((await read(scratch('corpus'), { format: 'markdown' })).documents).toHaveLength(2);
    scratch('trec/about.html', '<p>About.');
    scratch('trec/docs.txt', '<DOC>\n<DOCNO>t</DOCNO>\n<TEXT>x</TEXT>\n</DOC>\n');
    expect((await read(scratch('trec'))).documents.map(({ id }) => id)).toEqual(['t']);
  });

  it('has no fields and tables', async () => {
    await expectRefusal(
      read(scratch('notes'), { fields: { text: 'body' } }),
      ['--text-field has no effect on Markdown, HTML, text and PDF files', 'JSONL, CSV'],
      'usage',
    );
    await expectRefusal(read(scratch('notes'), { table: 't' }), ['--table has no effect', 'SQLite'], 'usage');
  });

  it('refuses a page that is too long for one document', async () => {
    scratch('long/a.txt', '');
    writeFileSync(scratch('long/a.txt'), Buffer.alloc((64 << 20) + 1, 'x '));
    await expectRefusal(read(scratch('long')), [
      'a.txt: the file is longer than the limit of 64 MiB',
      'Split it',
    ]);
  });
});

describe('a single page', () => {
  it('is one document, by its name or by its format', async () => {
    const { documents, said } = await read(scratch('one.md', '# One\ntext'));
    expect(documents).toEqual([{ id: 'one.md', title: 'One', text: 'text' }]);
    expect(said).toEqual([`Reading ${scratch('one.md')} as one document (markdown).`]);
    expect((await read(scratch('two.html', '<p>text'))).documents).toEqual([
      { id: 'two.html', text: 'text' },
    ]);
    const letter = scratch('letter.txt', 'Just a letter.\nNothing more.\n');
    expect((await read(letter, { format: 'text' })).documents).toHaveLength(1);
    const binary = scratch('binary.md', Buffer.from([1, 0]));
    await expectRefusal(read(binary), ['binary.md: the file holds binary data']);
  });
});

/** A PDF of one page. */
function pdf(text: string, title: string): string {
  const content = `BT /F1 12 Tf 72 700 Td (${text}) Tj ET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    `<< /Title (${title}) >>`,
  ];
  let file = '%PDF-1.4\n';
  const places = objects.map((object, i) => {
    const place = file.length;
    file += `${i + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(place).padStart(10, '0')} 00000 n \n`;
  });
  const start = file.length;
  const trailer = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R /Info 6 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  return `${file}xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join('')}${trailer}`;
}

describe('PDF', () => {
  it('is read by an optional package; scanned pages are skipped', async () => {
    scratch('papers/a.pdf', pdf('Bridges sway in the wind.', 'On bridges'));
    scratch('papers/b.pdf', pdf('Sand moves.', 'Microsoft Word - sand.doc'));
    scratch('papers/scan.pdf', pdf('', 'A scan'));
    const { documents, said } = await read(scratch('papers'));
    expect(documents).toEqual([
      { id: 'a.pdf', title: 'On bridges', text: 'Bridges sway in the wind.' },
      { id: 'b.pdf', text: 'Sand moves.' },
    ]);
    expect(said).toEqual([
      `Reading 3 PDF files of ${scratch('papers')}: id from the path, title from the properties.`,
      `Skipped 1 of them, without text: ${scratch('papers/scan.pdf')}.`,
    ]);
    expect((await read(scratch('papers/a.pdf'))).documents).toMatchObject([{ id: 'a.pdf' }]);
  });

  it('that is damaged is refused', async () => {
    await expectRefusal(read(scratch('bad.pdf', '%PDF-1.7\nnothing')), [
      'bad.pdf: the PDF cannot be read (',
      'Mend it',
    ]);
  });

  it('does not outweigh a corpus beside it', async () => {
    scratch('published/corpus-1.jsonl', '{"_id": "a", "text": "x"}\n');
    scratch('published/paper.pdf', pdf('x'.repeat(1000), 'The paper'));
    expect((await read(scratch('published'))).documents.map(({ id }) => id)).toEqual(['a']);
  });
});

describe('Markdown', () => {
  it.each([
    ['# Title\nbody', 'Title', 'body'],
    ['Title\n=====\nbody', 'Title', 'body'],
    ['body\n\n## Later ##\nmore', 'Later', 'body\nmore'],
    ['---\ntitle: It is\ntags: [a]\n---\n# Another\nbody', 'It is', 'Another\nbody'],
    ['---\ntitle: Same\n---\n# Same\nbody', 'Same', 'body'],
    ["---\ntitle: 'It''s: so' # note\n---\nbody", "It's: so", 'body'],
    ['---\ntitle: One\n  two\n---\nbody', 'One two', 'body'],
    ['---\ntitle: >-\n  Two\n  lines\n---\nbody', 'Two lines', 'body'],
    ['---\nmeta:\n  title: inner\ntitle: null\n---\nbody', '', 'body'],
    ['+++\ntitle = "T \\"q\\""\n+++\nbody', 'T "q"', 'body'],
    ['---\ntitle: [broken\n---\n# Heading', 'Heading', ''],
    ['---\n---\nbody', '', 'body'],
    ['---\nno front matter', '', 'no front matter'],
    ['- item\n1. two\n> quoted\n* * *', '', 'item\ntwo\nquoted'],
    ['[text](http://a/b "t") ![alt](i.png) [![badge](b)](u) [ref][r] <http://x>', '', 'text alt badge ref'],
    ['[r]: http://example.org', '', ''],
    ['**bold** _it_ ~~old~~ snake_case 2\\*3', '', 'bold it old snake_case 2*3'],
    ['`a<b>` and <b>tag</b> &amp; <!-- gone\nover lines --> end', '', 'a<b> and tag &\nend'],
    ['```ts\n# code <b>\n```\nafter', '', '# code <b>\nafter'],
    ['| a | b |\n|---|:-:|\n| 1 | 2 |', '', 'a b\n1 2'],
    ['a\r\nb\r\n', '', 'a\nb'],
  ])('%j', async (markdown, title, text) => {
    expect(await markdownToText(markdown)).toEqual({ title, text });
  });

  it.each(['[', '![a](', '<a', '`', '_', '*', '> ', '<!--', '[a]', '[a][b', '---\n', '```\n', '# '])(
    'takes linear time for a megabyte of %j',
    async (piece) => {
      const started = performance.now();
      await markdownToText(piece.repeat(Math.ceil(1_000_000 / piece.length)));
      expect(performance.now() - started).toBeLessThan(5_000);
    },
  );
});
