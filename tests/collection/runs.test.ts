import { readFileSync, readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { Writable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRun, readRunByQuery, writeRun, type Ranking, type Run } from '../../src/collection/index.js';
import { collect, expectRefusal, scratchFolder } from './support.js';

const scratch = scratchFolder();

const id = fc
  .oneof(
    fc.string({ minLength: 1, maxLength: 12 }),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }),
  )
  .filter((text) => !/\s/.test(text) && !text.startsWith('\ufeff'));
/** A `#` in front would make the line a comment. */
const queryId = id.filter((text) => !text.startsWith('#'));
const score = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.float({ noNaN: true, noDefaultInfinity: true }),
  fc.integer({ min: -1000, max: 1000 }).map((n) => n / 1000),
  fc.constantFrom(0, 1e-7, 5e-324, 1.7976931348623157e308, 0.1 + 0.2, 123456789012345680),
);
const ranking: fc.Arbitrary<Ranking> = fc
  .uniqueArray(fc.record({ id, score }), { selector: (document) => document.id, minLength: 1, maxLength: 20 })
  .map((documents) => documents.map((d) => ({ ...d, score: d.score + 0 })).sort((a, b) => b.score - a.score));
const run: fc.Arbitrary<Run> = fc
  .uniqueArray(fc.tuple(queryId, ranking), { selector: ([query]) => query, maxLength: 6 })
  .map((entries) => new Map(entries));

async function* queries() {
  yield { query: '1', ranking: [{ id: 'a', score: 2 }] };
  yield { query: '2', ranking: [] };
  yield { query: '3', ranking: [{ id: 'b', score: 1 }] };
}

describe('a run', () => {
  it('comes back from its file as it was, to the last bit, whole and by query', async () => {
    await fc.assert(
      fc.asyncProperty(run, async (written) => {
        const path = scratch('round.run');
        await writeRun(path, written);
        expect(await readRun(path)).toEqual(written);
        expect(await collect(readRunByQuery(path))).toEqual(
          [...written].map(([query, ranking]) => ({ query, ranking })),
        );
      }),
      { numRuns: 150 },
    );
  });

  it('is written as TREC wants it', async () => {
    const path = scratch('format.run');
    const ranking = [
      { id: 'd2', score: 0.1 + 0.2 },
      { id: 'd1', score: -1e-9 },
    ];
    await writeRun(path, new Map([['301', ranking]]), { tag: 'mine' });
    expect(readFileSync(path, 'utf8')).toBe('301 Q0 d2 1 0.30000000000000004 mine\n301 Q0 d1 2 -1e-9 mine\n');
  });

  it('can be written query by query, and to standard output', async () => {
    let written = '';
    const stdout = new Writable({ write: (chunk, _encoding, done) => ((written += String(chunk)), done()) });
    await writeRun('-', queries(), { stdout });
    expect(written).toBe('1 Q0 a 1 2 bert-qe\n3 Q0 b 1 1 bert-qe\n');
  });

  it('that cannot be written leaves the old file and no other', async () => {
    const path = scratch('old/keep.run', 'old');
    const rising = [
      { id: 'a', score: 1 },
      { id: 'b', score: 2 },
    ];
    const bad: [Run, string][] = [
      [new Map([['a b', []]]), 'The query id "a b"'],
      [new Map([['1', [{ id: '', score: 1 }]]]), 'The document id ""'],
      [new Map([['1', [{ id: 'a', score: Number.NaN }]]]), 'the score of "a" at rank 1 is NaN'],
      [new Map([['1', rising]]), 'the score of "b" at rank 2 is 2, above 1'],
    ];
    for (const [run, part] of bad) await expectRefusal(writeRun(path, run), [part], 'usage');
    await expectRefusal(
      writeRun(path, new Map(), { tag: 'my run' }),
      ['The run tag "my run"', 'one word'],
      'usage',
    );
    expect(readFileSync(path, 'utf8')).toBe('old');
    expect(readdirSync(dirname(path))).toEqual(['keep.run']);
  });

  it('is ordered by score alone, equal scores as in the file, lines in any order', async () => {
    const text =
      '# comment\n2 Q0 x 1 1.0 t\r\n1\tQ0\ta\t1\t 1.5 t\n1 Q0 b 2 2.5 t\n2 Q0 y 1 1 t more words here\n1 Q0 c 3 1.50 t\n';
    const found = await readRun(scratch('order.run.gz', gzipSync(text)));
    expect([...found.keys()]).toEqual(['2', '1']);
    expect(found.get('1')!.map((d) => d.id)).toEqual(['b', 'a', 'c']);
    expect(found.get('2')!.map((d) => d.id)).toEqual(['x', 'y']);
  });

  it('may have scores in every decimal notation, and they are read exactly', async () => {
    const scores = (
      '1 -1 +1 .5 5. 1e3 -1.5E-3 0.1 123456.789012 9007199254740993 0.000000000000000000001 ' +
      '2.2250738585072014e-308 3.141592653589793238462643 00012.50 -0'
    ).split(' ');
    const text = scores.map((s, i) => `q${i} Q0 d 1 ${s} t\n`).join('');
    const found = await readRun(scratch('numbers.run', text));
    expect([...found.values()].map((r) => r[0]!.score)).toEqual(scores.map(Number));
  });

  it('may list a document twice only where that is wanted', async () => {
    const path = scratch('twice.run', '1 Q0 a 1 3 t\n2 Q0 a 1 3 t\n\n1 Q0 b 2 2 t\n1 Q0 a 3 1 t\n');
    await expectRefusal(readRun(path), [
      'twice.run:5: document "a" is listed twice for query "1"',
      'better score',
    ]);
    expect((await readRun(path, { duplicates: 'keep' })).get('1')!.map((d) => d.id)).toEqual(['a', 'b', 'a']);
  });

  it('must have its queries together to be read one by one', async () => {
    const path = scratch('apart.run', '1 Q0 a 1 3 t\n2 Q0 a 1 3 t\n1 Q0 b 2 2 t\n');
    await expectRefusal(collect(readRunByQuery(path)), [
      'apart.run:3: query "1" comes back',
      'sort -s -k1,1',
    ]);
    expect((await readRun(path)).size).toBe(2);
  });

  it('larger than a block is read query by query', async () => {
    const queries = Array.from({ length: 300 }, (_, q) => `q${q}`);
    const lines = queries.flatMap((q) =>
      Array.from({ length: 200 }, (_, r) => `${q} Q0 document-${q}-${r} ${r + 1} ${1000 - r} tag\n`),
    );
    const path = scratch('blocks.run', lines.join(''));
    const found = await collect(readRunByQuery(path));
    expect(found.map(({ query }) => query)).toEqual(queries);
    expect(found.every(({ ranking }) => ranking.length === 200)).toBe(true);
    expect(new Map(found.map(({ query, ranking }) => [query, ranking]))).toEqual(await readRun(path));
  });

  it.each([
    [
      '1 Q0 a 1 2 t\n1 Q0 b 2 1\n',
      ['bad:2: 6 columns were expected, not 5', 'query Q0 document rank score tag'],
    ],
    ['1 Q0 a 1 high t\n', ['bad:1: the score "high" in column 5 is not a number']],
    ['1 Q0 a 1 NaN t\n', ['bad:1: the score "NaN"']],
    ['1 Q0 a 1 inf t\n', ['bad:1: the score "inf"']],
    ['1 Q0 a 1 1e999 t\n', ['bad:1: the score "1e999"']],
    ['1 Q0 a 1 0x10 t\n', ['bad:1: the score "0x10"']],
    ['1 Q0 a 1 1.2.3 t\n', ['bad:1: the score "1.2.3"']],
    ['1 Q0 a 1 - t\n', ['bad:1: the score "-"']],
    ['1 Q0 a 7 1 2.5 t\n', ['bad:1: 6 columns were expected, not 7']],
  ])('is refused with file, line and fix: %j', async (text, parts) => {
    await expectRefusal(readRun(scratch('bad', text)), parts);
    await expectRefusal(collect(readRunByQuery(scratch('bad', text))), parts);
  });
});
