import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { BertQeError } from '../../../src/common/errors.js';
import { createAnalyzer } from '../../../src/retrieval/analysis/analyzer.js';
import { readStopwords } from '../../../src/retrieval/analysis/stopwords/file.js';

const folder = mkdtempSync(join(tmpdir(), 'bert-qe-stopwords-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

async function refusal(path: string): Promise<{ code: string; message: string }> {
  const error: unknown = await readStopwords(path).catch((error: unknown) => error);
  expect(error).toBeInstanceOf(BertQeError);
  return error as BertQeError;
}

describe('readStopwords', () => {
  it('reads a word per line, without comments, blank lines, byte order mark and line ends', async () => {
    const path = file('list.txt', '\ufeff# common words\nthe\r\n\n  And  # joins\n\t\nc#\nété');
    expect(await readStopwords(path)).toEqual(['the', 'And', 'c#', 'été']);
  });

  it('reads a gzipped list', async () => {
    expect(await readStopwords(file('list.gz', gzipSync('the\nand\n')))).toEqual(['the', 'and']);
  });

  it('gives what createAnalyzer takes', async () => {
    const stopwords = await readStopwords(file('own.txt', 'Flow\n'));
    expect(createAnalyzer({ base: 'anserini', stopwords }).analyze('the flow, flows')).toEqual([
      'the',
      'flow',
    ]);
  });

  it('refuses a line of several words, and names it', async () => {
    const path = file('two.txt', '# words\nthe\nas well as\n');
    const { code, message } = await refusal(path);
    expect(code).toBe('input');
    expect(message).toBe(`${path}:3: "as well as" is more than one word. Put one stop word on each line.`);
  });

  it('refuses a list without words', async () => {
    const { code, message } = await refusal(file('empty.txt', '# nothing\n\n'));
    expect(code).toBe('input');
    expect(message).toContain('empty.txt: there is no stop word in the file');
  });

  it('refuses what is not UTF-8, and names the line', async () => {
    const path = file('latin1.txt', Buffer.from('the\n\xe9t\xe9\n', 'latin1'));
    const { code, message } = await refusal(path);
    expect(code).toBe('input');
    expect(message).toContain('latin1.txt:2: byte 4 (0xe9) is not valid UTF-8');
  });

  it('says so where there is no such file', async () => {
    const { code, message } = await refusal(join(folder, 'absent.txt'));
    expect(code).toBe('missing');
    expect(message).toContain('absent.txt');
  });
});
