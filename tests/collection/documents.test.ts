import { mkdirSync, symlinkSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { readDocuments, type ReadDocumentsOptions } from '../../src/collection/index.js';
import { collect, countDocuments, expectRefusal, fixture, scratchFolder } from './support.js';

const scratch = scratchFolder();

async function idsOf(path: string, options?: ReadDocumentsOptions): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of readDocuments(path, options)) ids.push(id);
  return ids;
}

describe('a collection is recognised', () => {
  it.each([
    ['jsonl.txt', '\ufeff\n{"_id": "a", "text": "x"}\n'],
    ['tsv.txt', 'a\tx\n'],
    ['titles.txt', 'a\tt\tx\n'],
    ['trec.txt', '\n<DOC>\n<DOCNO> a </DOCNO>\n<TEXT>x</TEXT>\n</DOC>\n'],
    ['web.txt', '<DOC>\n<DOCNO>a</DOCNO>\n<DOCHDR>\n</DOCHDR>\n<p>x\n</DOC>\n'],
  ])('by its first bytes: %s, packed or not', async (name, content) => {
    for (const path of [scratch(name, content), scratch(`${name}.packed`, gzipSync(content))]) {
      const documents = await collect(readDocuments(path));
      expect(documents).toMatchObject([{ id: 'a', text: 'x', origin: { file: path } }]);
    }
  });

  it('as a BEIR folder by its corpus, packed or not', async () => {
    scratch('beir/corpus.jsonl', '{"_id": "a", "title": "", "text": "x"}\n');
    scratch('beir/queries.jsonl', '{"_id": "q", "text": "x"}\n');
    expect(await idsOf(scratch('beir'))).toEqual(['a']);
    expect(await idsOf(scratch('beir'), { format: 'beir' })).toEqual(['a']);
    scratch('beir-gz/corpus.jsonl.gz', gzipSync('{"_id": "b", "title": "", "text": "x"}\n'));
    expect(await idsOf(scratch('beir-gz'))).toEqual(['b']);
  });

  it('or else the message lists what it could be', async () => {
    const path = scratch('prose.txt', 'Just a letter.\nNothing more.\n');
    await expectRefusal(idsOf(path), [
      `${path}: cannot tell the format`,
      '--format beir, jsonl, tsv, trec or trecweb',
      'text for a file that is one document',
    ]);
    const page = scratch('page.xml', '<note><body>text</body></note>');
    await expectRefusal(idsOf(page), [`${page}: cannot tell the format`]);
  });

  it('but an empty file, an empty folder and a missing one are named as such', async () => {
    await expectRefusal(idsOf(scratch('empty.jsonl', '')), [
      'empty.jsonl: the file is empty',
      'holds documents',
    ]);
    expect(await countDocuments(scratch('empty.jsonl', ''), { format: 'jsonl' })).toBe(0);
    mkdirSync(scratch('nothing'));
    await expectRefusal(idsOf(scratch('nothing')), ['the folder holds no document files', 'corpus.jsonl']);
    await expectRefusal(idsOf(scratch('nothing'), { format: 'trec' }), ['the folder holds no trec files']);
    await expectRefusal(idsOf(scratch('nothing'), { format: 'beir' }), [
      'not a BEIR folder',
      'corpus.jsonl.gz',
    ]);
    await expectRefusal(idsOf(scratch('gone')), ['gone: there is no such file or folder'], 'missing');
  });
});

describe('a folder of files', () => {
  it('is read through all its sub-folders in order, passing over what holds no documents', async () => {
    const skipped: string[] = [];
    const ids = await idsOf(fixture('robust04'), {
      onSkip: (file) => skipped.push(file.replace(/.*robust04\//, '')),
    });
    expect(ids).toEqual([
      'FR940199-0-90001',
      'FR940199-0-90002',
      'FT911-90001',
      'FT911-90002',
      'FBIS3-90001',
      'FBIS3-90002',
      'LA010199-9001',
      'LA010199-9002',
    ]);
    expect(skipped).toEqual(['disk4/CHECKSUMS', 'disk4/FR94/fr94dtd', 'disk4/FT/READMEFT']);
  });

  it('of JSONL or TSV parts is read as one collection, each damaged part reported', async () => {
    scratch('parts/README.md', 'About these files.');
    scratch('parts/1.jsonl', '{"_id": "a", "text": ""}\n');
    scratch('parts/more/2.jsonl.gz', gzipSync('{"_id": "b", "text": ""}\n'));
    scratch('parts/.hidden.jsonl', 'not JSON');
    expect(await idsOf(scratch('parts'))).toEqual(['a', 'b']);
    expect(await idsOf(scratch('parts'), { format: 'jsonl' })).toEqual(['a', 'b']);
    scratch('parts/3.jsonl', 'not JSON');
    await expectRefusal(idsOf(scratch('parts')), ['3.jsonl:1: not valid JSON']);
    scratch('rows/1.tsv', 'a\tx\n');
    scratch('rows/2.tsv', 'b\tt\tx\n');
    expect(await idsOf(scratch('rows'))).toEqual(['a', 'b']);
  });

  it('linked into itself is read once', async () => {
    scratch('loop/part.tsv', 'a\tx\n');
    symlinkSync('.', scratch('loop/again'));
    expect(await idsOf(scratch('loop'))).toEqual(['a']);
  });
});

describe('reading documents', () => {
  it('reports its progress in bytes up to the total, over all files', async () => {
    const seen: [number, number | undefined][] = [];
    const total = 2 * 3_000_000;
    const rows = `a\t${'x'.repeat(1997)}\n`.repeat(1500);
    scratch('big/1.tsv', rows);
    scratch('big/2.tsv', rows);
    await countDocuments(scratch('big'), { onProgress: (read, all) => seen.push([read, all]) });
    expect(seen.length).toBeGreaterThan(4);
    expect(seen.every(([read, all], i) => all === total && read >= (seen[i - 1]?.[0] ?? 0))).toBe(true);
    expect(seen.at(-1)).toEqual([total, total]);
  });

  it('comes to the end of the progress when files are passed over', async () => {
    let last: [number, number | undefined] = [0, 0];
    await countDocuments(fixture('robust04'), { onProgress: (read, total) => (last = [read, total]) });
    expect(last[0]).toBe(last[1]);
  });

  it('gives the documents of all files', async () => {
    expect(await countDocuments(fixture('robust04'))).toBe(8);
  });

  it('keeps to the format that was named', async () => {
    const path = scratch('named.tsv', '{"_id": "1"}\tx\n');
    await expectRefusal(idsOf(path), ['not valid JSON']);
    await expectRefusal(idsOf(path, { format: 'tsv' }), ['named.tsv:1: the document id', 'white space']);
  });
});

describe('the ids of a collection', () => {
  const filler = 'words that take room '.repeat(500);
  it.each([
    ['jsonl', (i: number) => `${JSON.stringify({ _id: `a-rather-long-id-${i}`, text: filler })}\n`],
    ['tsv', (i: number) => `a-rather-long-id-${i}\t${filler}\n`],
    ['trec', (i: number) => `<DOC><DOCNO> a-rather-long-id-${i} </DOCNO><TEXT>${filler}</TEXT></DOC>\n`],
    ['trecweb', (i: number) => `<DOC><DOCNO>a-rather-long-id-${i}</DOCNO>${filler}</DOC>\n`],
  ] as const)('can be kept without keeping the text: %s', async (format, write) => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const path = scratch(`ids.${format}`);
    await writeFile(path, Readable.from(Array.from({ length: 3000 }, (_, i) => i)).map(write));
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    const ids = await idsOf(path, { format });
    collectGarbage();
    const kept = process.memoryUsage().heapUsed - before;
    expect(ids).toHaveLength(3000);
    // The file has 30 MB; idsOf keeps the ids only.
    expect(kept).toBeLessThan(6_000_000);
  });
});

describe('standard input', () => {
  const stdin = Object.getOwnPropertyDescriptor(process, 'stdin')!;
  afterEach(() => void Object.defineProperty(process, 'stdin', stdin));

  it.each([
    ['plain', Buffer.from('{"_id": "a", "text": "x"}\n{"_id": "b"}\n')],
    ['packed', gzipSync('{"_id": "a", "text": "x"}\n{"_id": "b"}\n')],
  ])('is read for "-": %s', async (_name, bytes) => {
    Object.defineProperty(process, 'stdin', {
      value: Readable.from([bytes.subarray(0, 1), bytes.subarray(1)]),
      configurable: true,
    });
    const totals: unknown[] = [];
    const reading = idsOf('-', { onProgress: (_read, total) => totals.push(total) });
    await expectRefusal(reading, ['<stdin>:2: none of the fields "text"']);
    expect(new Set(totals)).toEqual(new Set([undefined]));
  });
});
