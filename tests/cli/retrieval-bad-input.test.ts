import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bertQe } from '../support/cli.js';
import { temporaryFolder } from '../support/folders.js';
import { jsonLines, refusal, words } from './support.js';

const folder = temporaryFolder();
const at = (name: string) => join(folder, name);
const index = at('good.index');
const lines = Array.from({ length: 200 }, (_, d) =>
  JSON.stringify({ _id: `d${d}`, title: 'A title', text: `text number ${d} about birds and their travels` }),
);

beforeAll(async () => {
  writeFileSync(at('good.jsonl'), lines.join('\n'));
  const { code, stderr } = await bertQe(['index', at('good.jsonl'), '--out', index]);
  expect(stderr).toMatch(/Indexed 200 documents/);
  expect(code).toBe(0);
});

/** One line on stderr, and nothing else. */
function oneLine(stderr: string): string {
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  return stderr;
}

test('an error that quotes a file is one line, of bounded length, without control characters', async () => {
  writeFileSync(at('evil.run'), `1 Q0 \u001b[2J\u0007${'x'.repeat(100_000)} 1 1 t\n`);
  const stderr = refusal(await bertQe(words`rerank birds --index ${index} --run ${at('evil.run')}`));
  expect(stderr).toContain('document "\ufffd[2J\ufffdxxx');
  expect(stderr.length).toBeLessThan(5000);
});

test('a sentence about an input is one line, of bounded length, without control characters', async () => {
  writeFileSync(at('columns.csv'), `\u001b[2J${',a'.repeat(10_000)}\n${',b'.repeat(10_000)}\n`);
  const { code, stderr } = await bertQe(['index', at('columns.csv'), '--out', at('columns.index')]);
  expect(code).toBe(0);
  const [sentence] = stderr.split('\n');
  expect(sentence).toContain('as CSV');
  expect(sentence).not.toMatch(/\p{Cc}/u);
  expect(sentence.length).toBeLessThan(1100);
});

describe('bad input to index', () => {
  const bad: [string, string | Uint8Array, RegExp][] = [
    [
      'truncated.jsonl.gz',
      gzipSync(lines.join('\n')).subarray(0, 300),
      /truncated\.jsonl\.gz.*(cut|trunc|ends)/i,
    ],
    ['not-json.jsonl', `${lines[0]}\n{"_id": "x", "text"\n`, /not-json\.jsonl:2: /],
    ['no-id.jsonl', `${lines[0]}\n{"text": "lost"}\n`, /no-id\.jsonl:2: .*id/],
    [
      'utf8.jsonl',
      Buffer.concat([
        Buffer.from(`${lines[0]}\n{"_id":"b","text":"`),
        Buffer.from([0xff, 0xfe]),
        Buffer.from('"}\n'),
      ]),
      /utf8\.jsonl:2: .*UTF-8/,
    ],
    [
      'twice.jsonl',
      `${lines[0]}\n${lines[1]}\n${lines[0]}\n`,
      /twice\.jsonl:3: the document id "d0" was there before/,
    ],
    ['empty.jsonl', '', /empty\.jsonl|no documents/],
  ];

  test.each(bad)('%s: one clear line, exit 2, no index left behind', async (name, content, message) => {
    writeFileSync(at(name), content);
    const out = at(`${name}.index`);
    expect(refusal(await bertQe(['index', at(name), '--out', out]))).toMatch(message);
    expect(existsSync(join(out, 'index.json'))).toBe(false);
  });

  test('a line of 50 MB is refused with its place and the limit', async () => {
    const long = `{"_id":"long","text":"${'x'.repeat(50 << 20)}"}\n`;
    const args = words`index - --format jsonl --out ${at('long.index')}`;
    expect(refusal(await bertQe(args, { input: `${lines[0]}\n${long}` }))).toMatch(/:2: .*32 ?M/);
  });

  test('a failed rebuild leaves the index that was there', async () => {
    const before = readFileSync(join(index, 'index.json'), 'utf8');
    const { code } = await bertQe(['index', at('twice.jsonl'), '--out', index]);
    expect(code).toBe(2);
    expect(readFileSync(join(index, 'index.json'), 'utf8')).toBe(before);
    expect((await bertQe(['check', index])).code).toBe(0);
  });

  test('a missing file and a missing --out are named', async () => {
    const missing = await bertQe(['index', at('nowhere.jsonl'), '--out', at('x.index')]);
    expect(refusal(missing)).toMatch(/nowhere\.jsonl/);
    expect(refusal(await bertQe(['index', at('good.jsonl')]))).toMatch(/--out DIR/);
  });
});

describe('a full disk', () => {
  const mount = at('small-disk');
  let mounted = false;
  try {
    mkdirSync(mount);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', mount], { stdio: 'ignore' });
    mounted = true;
  } catch {
    // Only root may mount.
  }
  afterAll(() => {
    if (mounted) execFileSync('umount', [mount]);
  });

  test.skipIf(!mounted)('stops the build with one clear line and keeps the old index', async () => {
    const out = join(mount, 'ix');
    const first = await bertQe(['index', '-', '--format', 'jsonl', '--out', out], {
      input: lines.slice(0, 3).join('\n'),
    });
    expect(first.code).toBe(0);
    const large = Array.from({ length: 20_000 }, (_, d) =>
      JSON.stringify({ _id: `d${d}`, text: `text ${d} ${'filling '.repeat(40)}` }),
    );
    writeFileSync(at('large.jsonl'), large.join('\n'));
    const { code, stderr } = await bertQe(['index', at('large.jsonl'), '--out', out]);
    expect(oneLine(stderr)).toMatch(/full.*free some space/);
    expect(code).toBe(1);
    const check = await bertQe(['check', out]);
    expect(check.stdout).toMatch(/is sound: 3 documents/);
  });

  test.skipIf(!mounted)(
    'leaves no lock behind, so that the same command works when there is room',
    async () => {
      const filling = join(mount, 'filling');
      expect(() => writeFileSync(filling, Buffer.alloc(4 << 20))).toThrow(/ENOSPC/);
      const out = join(mount, 'late');
      const build = () => bertQe(['index', at('good.jsonl'), '--out', out]);
      const { code, stderr } = await build();
      expect(oneLine(stderr)).toMatch(/no room left|is full/);
      expect(code).toBe(1);
      expect(existsSync(out) ? readdirSync(out) : []).toEqual([]);
      rmSync(filling);
      expect((await build()).code).toBe(0);
    },
  );

  test.skipIf(!mounted)('a read-only folder is named in one line', async () => {
    execFileSync('mount', ['-o', 'remount,ro', mount]);
    try {
      for (const out of [join(mount, 'new'), join(mount, 'ix')]) {
        const refused = await bertQe(['index', at('good.jsonl'), '--out', out]);
        expect(refusal(refused)).toMatch(/permission to write was denied/);
      }
    } finally {
      execFileSync('mount', ['-o', 'remount,rw', mount]);
    }
  });
});

describe('bad input to search and check', () => {
  const cases: [string, string[], RegExp][] = [
    ['no index', ['search', '--query', 'birds'], /search needs --index DIR/],
    [
      'a folder that is no index',
      words`search --index ${folder} --query birds`,
      /is not an index \(no index\.json/,
    ],
    ['no query', ['search', '--index', index], /words of a query \(or --query TEXT\), or --queries FILE/],
    ['an empty query', ['search', '--index', index, '--query', ' '], /--query is empty/],
    [
      'only stop words',
      words`search --index ${index} --query ${'the of and'}`,
      /only stop words or signs; add a word/,
    ],
    ['unknown words', words`search --index ${index} --query xylophone`, /none of its words is in the index/],
    [
      'an option of another model',
      words`search --index ${index} --query birds --mu 5`,
      /--mu .* belongs to ql/,
    ],
    ['an unknown model', words`search --index ${index} --query birds --model tfidf`, /one of dph, bm25, ql/],
    ['a misspelt option', ['search', '--index', index, '--qurey', 'birds'], /did you mean --query\?/],
    ['a depth of zero', words`search --index ${index} --query birds --depth 0`, /at least 1/],
    ['an option that begins alike', ['rerank', 'birds', '--docs', 'x'], /did you mean --documents\?/],
    ['a misspelt command', ['serch'], /did you mean "search"\?/],
    ['a check of nothing', ['check', at('nowhere')], /no folder/],
  ];

  test.each(cases)('%s: one clear line and exit 2', async (_, args, message) => {
    expect(refusal(await bertQe(args))).toMatch(message);
  });

  test('a bad line in the queries is named, and an existing run is kept', async () => {
    writeFileSync(at('queries.tsv'), '1\tbirds\njust words\n');
    writeFileSync(at('old.run'), 'precious\n');
    const args = words`search --index ${index} --queries ${at('queries.tsv')} --out ${at('old.run')}`;
    expect(refusal(await bertQe(args))).toMatch(/queries\.tsv:2: /);
    expect(readFileSync(at('old.run'), 'utf8')).toBe('precious\n');
  });
});

describe('search', () => {
  test('writes a TREC run, best first, and the same as JSON lines', async () => {
    writeFileSync(at('good.tsv'), '7\tnumber 12\n8\tbirds 3\n');
    const args = words`search --index ${index} --queries ${at('good.tsv')} --depth 5 --model bm25`;
    const run = await bertQe(args);
    expect(run.code).toBe(0);
    const rows = run.stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(' '));
    expect(rows.map(([query]) => query)).toEqual([...Array(5).fill('7'), ...Array(5).fill('8')]);
    expect(rows[0].slice(0, 4)).toEqual(['7', 'Q0', 'd12', '1']);
    expect(rows[0][5]).toBe('BM25');
    const json = await bertQe([...args, '--json']);
    const [first] = jsonLines<{ results: object[] }>(json.stdout);
    expect(first).toMatchObject({ query: 'number 12', id: '7' });
    expect(first.results[0]).toEqual({ id: 'd12', score: Number(rows[0][4]), rank: 1 });
  });
});
