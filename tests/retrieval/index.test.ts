import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Document } from '../../src/collection/index.js';
import { buildIndex, checkIndex, createAnalyzer, Index, Searcher } from '../../src/retrieval/index.js';
import { manifestOf, type IndexManifest } from '../../src/retrieval/index/manifest.js';
import { FILES } from '../../src/retrieval/index/storage.js';
import { alterFile } from './alter.js';
import { launcher } from '../support/cli.js';
import { temporaryFolder } from '../support/folders.js';

const folder = temporaryFolder();
const analyzer = createAnalyzer({ base: 'anserini' });
let made = 0;
const fresh = () => join(folder, `index-${made++}`);

const documents: Document[] = Array.from({ length: 500 }, (_, d) => ({
  id: `doc-${d}`,
  title: `Article ${d}`,
  text: Array.from({ length: 10 + (d % 50) }, (_, i) => `word${(d * 31 + i * i) % 97} common`).join(' '),
}));

async function* stream(items: readonly Document[]): AsyncGenerator<Document> {
  yield* items;
}

async function build(at: string, items: readonly Document[] = documents): Promise<void> {
  await buildIndex(stream(items), { folder: at, analyzer, postingsInMemory: 2000 });
}

describe('an index', () => {
  test('gives back documents, vectors and statistics as they went in', async () => {
    const at = fresh();
    await build(at, [...documents, { id: 'empty', text: '' }, { id: 'ünï', title: '', text: 'naïve café' }]);
    const index = Index.open(at);
    expect(index.statistics).toMatchObject({ documents: 502, nonEmptyDocuments: 501 });
    expect(index.document(3)).toEqual(documents[3]);
    const found = await index.get(['doc-7', 'nowhere', 'ünï']);
    expect([...found]).toEqual([
      ['doc-7', documents[7]],
      ['ünï', { id: 'ünï', text: 'naïve café' }],
    ]);
    const number = index.documentNumber('doc-3')!;
    const terms = new Map<string, number>();
    for (const term of analyzer.analyze(`${documents[3].title} ${documents[3].text}`)) {
      terms.set(term, (terms.get(term) ?? 0) + 1);
    }
    const vector = index.vector(number);
    const stored = vector.terms.map(
      (term, i) => [index.termFacts(term).name, vector.frequencies[i]] as const,
    );
    expect(new Map(stored)).toEqual(terms);
    expect(index.vector(index.documentNumber('empty')!).terms).toEqual([]);
    await index.close();
    expect(checkIndex(at).problems).toEqual([]);
  });

  test('is the same bytes from the same documents, and holds nothing else', async () => {
    const [first, second] = [fresh(), fresh()];
    await build(first);
    // The memory of a process must not get into the index.
    const secret = Array.from({ length: 1000 }, (_, i) => Buffer.from(`secret ${i} `.repeat(400)));
    await build(second);
    expect(secret.length).toBe(1000);
    expect(filesOf(second).map(([name]) => name)).toEqual(filesOf(first).map(([name]) => name));
    expect(filesOf(second).filter(([, content], i) => content !== filesOf(first)[i][1])).toEqual([]);
    expect(filesOf(second).filter(([, content]) => content.includes('secret'))).toEqual([]);
  });

  test('replaces an older one only when it is complete', async () => {
    const at = fresh();
    await build(at, documents.slice(0, 10));
    async function* failing(): AsyncGenerator<Document> {
      yield* documents.slice(0, 100);
      throw new Error('the source broke');
    }
    await expect(buildIndex(failing(), { folder: at, analyzer })).rejects.toThrow('the source broke');
    const index = Index.open(at);
    expect(index.statistics.documents).toBe(10);
    await index.close();
    expect(readdirSync(at).filter((name) => name.startsWith('data-'))).toHaveLength(1);
    await build(at, documents.slice(0, 20));
    expect(checkIndex(at)).toMatchObject({ problems: [], documents: 20 });
  });

  test('stays usable for those who have it open while it is replaced', async () => {
    const at = fresh();
    await build(at, documents.slice(0, 50));
    const index = Index.open(at);
    await build(at, documents.slice(0, 60));
    const ranking = await new Searcher(index).search({ id: 'q', text: 'common word5' });
    expect(ranking.length).toBe(50);
    await index.close();
  });

  test('refuses duplicate ids, empty collections, and folders that hold something else', async () => {
    const duplicate = [
      ...documents.slice(0, 5),
      { ...documents[2], origin: { file: 'corpus.jsonl', line: 6 } },
    ];
    await expect(build(fresh(), duplicate)).rejects.toThrow(
      /corpus\.jsonl:6: the document id "doc-2" was there before/,
    );
    await expect(build(fresh(), [])).rejects.toThrow('no documents');
    const foreign = fresh();
    mkdirSync(foreign);
    writeFileSync(join(foreign, 'thesis.tex'), 'dear to someone');
    await expect(build(foreign)).rejects.toThrow(/not empty and not an index \(it holds thesis\.tex\)/);
    expect(readFileSync(join(foreign, 'thesis.tex'), 'utf8')).toBe('dear to someone');
    expect(() => Index.open(foreign)).toThrow(/is not an index/);
  });

  test('lets in one writer at a time, and takes over the lock of a dead one', async () => {
    const at = fresh();
    const gate = new AbortController();
    const held = new Promise((resolve) => gate.signal.addEventListener('abort', resolve));
    const building = new AbortController();
    const begun = new Promise((resolve) => building.signal.addEventListener('abort', resolve));
    async function* slow(): AsyncGenerator<Document> {
      building.abort();
      yield* documents.slice(0, 3);
      await held;
    }
    const first = buildIndex(slow(), { folder: at, analyzer });
    await begun;
    await expect(build(at)).rejects.toThrow(/is being written by process \d+/);
    gate.abort();
    await first;
    writeFileSync(join(at, 'write.lock'), JSON.stringify({ pid: 2 ** 22 + 1, started: '1' }));
    await build(at);
    expect(checkIndex(at).problems).toEqual([]);
  });

  test('is the old one or none after kill -9 at any moment of a build', async () => {
    const corpus = join(folder, 'corpus.jsonl');
    const lines = Array.from({ length: 30_000 }, (_, d) =>
      JSON.stringify({ _id: `n${d}`, text: `${documents[d % 500].text} unique${d}` }),
    );
    writeFileSync(corpus, lines.join('\n'));
    const at = fresh();
    await build(at, documents.slice(0, 10));
    let interrupted = 0;
    // From before the first file to the last of the 26 MB: moments of the build, however fast the machine is.
    for (const megabytes of [-1, 0, 1, 6, 12, 18, 20, 22, 24]) {
      const before = new Set(readdirSync(at));
      const child = spawn(process.execPath, [launcher, 'index', corpus, '--out', at], { stdio: 'ignore' });
      const ended = new Promise((resolve) => child.on('close', resolve));
      while (child.exitCode === null && bytesOfNewData(at, before) <= megabytes * 1e6) await sleep(1);
      child.kill('SIGKILL');
      await ended;
      if (readdirSync(at).filter((name) => name.startsWith('data-')).length > 1) interrupted++;
      const { problems, documents: count } = checkIndex(at);
      expect(problems).toEqual([]);
      expect([10, 30_000]).toContain(count);
    }
    expect(interrupted).toBeGreaterThan(0);
    await build(at);
    // Leftovers of the killed builds are removed.
    expect(readdirSync(at).filter((name) => name.startsWith('data-'))).toHaveLength(1);
    expect(checkIndex(at)).toMatchObject({ problems: [], documents: 500 });
  });
});

/** Names and contents of all files below a folder. */
function filesOf(at: string): [name: string, content: string][] {
  return readdirSync(at, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(at, name)).isFile())
    .sort()
    .map((name) => [name, readFileSync(join(at, name)).toString('latin1')]);
}

/** The bytes that a build has written, seen from outside. */
function bytesOfNewData(at: string, before: ReadonlySet<string>): number {
  const folders = readdirSync(at).filter((name) => name.startsWith('data-') && !before.has(name));
  const files = folders.flatMap((name) => readdirSync(join(at, name)).map((file) => join(at, name, file)));
  return files.reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0);
}

describe('check', () => {
  const damages: [
    string,
    RegExp,
    Parameters<typeof alterFile>[1],
    (content: Buffer, index: Index) => void,
  ][] = [
    ['a changed text', /"doc-17": its forward vector is not what its text gives/, 'documents', changeText],
    ['a wrong id', /id "doc-9" points to document \d+, which is "doc-8"/, 'documents', changeId],
    ['wrong frequencies', /postings and \d+ occurrences, its frequencies say/, 'terms', changeFrequency],
    ['swapped postings', /"doc-\d+": postings and forward vector disagree/, 'postings', swapPostings],
    [
      'a wrong block maximum',
      /the maxima of block 0 are not those of its postings/,
      'postings',
      changeMaximum,
    ],
    ['a wrong length', /"doc-17" has length 0, its forward vector sums to/, 'lengths', clearLength],
    ['a wrong order of ids', /in the order of ids/, 'id-order', swapIds],
  ];

  test.each(damages)('names %s under the right checksum', async (_, message, file, damage) => {
    const at = fresh();
    await build(at);
    await alterFile(at, file, damage);
    expect(checkIndex(at).problems.join('\n')).toMatch(message);
  });

  test('and search name a file of another index', async () => {
    const [at, other] = [fresh(), fresh()];
    await build(at);
    // As many documents, and files of the same sizes.
    await build(
      other,
      documents.toReversed().map((document, i) => ({ ...document, id: documents[i].id })),
    );
    for (const name of FILES) {
      const mixed = fresh();
      cpSync(at, mixed, { recursive: true });
      const file = join(mixed, 'data-1', name);
      const own = readFileSync(file);
      cpSync(join(other, 'data-1', name), file);
      if (readFileSync(file).equals(own)) continue;
      for (const use of [() => Index.open(mixed), () => checkIndex(mixed)]) {
        expect(use, name).toThrow(new RegExp(`data-1.${name} (is not the one|has \\d+ bytes)`));
      }
    }
  });

  test('says what is wrong with the manifest', async () => {
    const at = fresh();
    await build(at, documents.slice(0, 5));
    const file = join(at, 'index.json');
    const text = readFileSync(file, 'utf8');
    const manifest = JSON.parse(text) as IndexManifest;
    const write = (change: object) => writeFileSync(file, JSON.stringify({ ...manifest, ...change }));
    const statistics = { ...manifest.statistics, tokens: 1 };
    write({ statistics });
    expect(() => checkIndex(at)).toThrow(
      /index\.json is damaged: its checksum is wrong; build the index again/,
    );
    writeFileSync(file, JSON.stringify(manifestOf({ ...manifest, statistics })));
    expect(checkIndex(at).problems.join('\n')).toMatch(/tokens: \d+ found, the manifest says 1/);
    write({ version: 2 });
    expect(() => checkIndex(at)).toThrow(/index format 2, without checksums; this version reads 3; build/);
    write({ version: 99 });
    expect(() => checkIndex(at)).toThrow(/index format 99, this version reads 3/);
    write({ format: 'recipe' });
    expect(() => checkIndex(at)).toThrow(/does not describe a bert-qe index/);
    await expect(build(at)).rejects.toThrow(/does not describe a bert-qe index/);
    writeFileSync(file, '{');
    expect(() => checkIndex(at)).toThrow(/is not valid JSON/);
    write({});
    rmSync(join(at, manifest.data), { recursive: true });
    expect(() => checkIndex(at)).toThrow(/data-1[\\/]documents is missing; build the index again/);
    // The advice works.
    for (const damaged of ['{', JSON.stringify({ ...manifest, version: 2 })]) {
      writeFileSync(file, damaged);
      await build(at, documents.slice(0, 5));
      expect(checkIndex(at).problems).toEqual([]);
    }
  });
});

function changeText(content: Buffer): void {
  const at = content.indexOf('Article 17');
  content.write('zzzz', content.indexOf('common', at));
}

function changeId(content: Buffer): void {
  content.write('doc-8', content.indexOf('doc-9'));
}

function changeFrequency(content: Buffer): void {
  // An entry is the term and then its document frequency.
  content[content.indexOf('word11') + 6] ^= 1;
}

function swapPostings(content: Buffer, index: Index): void {
  const terms = Array.from({ length: index.statistics.terms }, (_, number) => index.termByNumber(number));
  const bytesOf = ({ start, end }: { start: number; end: number }) =>
    Buffer.from(content.subarray(start, end));
  const first = terms[0];
  const second = terms.find(
    (term) => term.end - term.start === first.end - first.start && !bytesOf(term).equals(bytesOf(first)),
  )!;
  const kept = bytesOf(first);
  content.set(bytesOf(second), first.start);
  content.set(kept, second.start);
}

function changeMaximum(content: Buffer, index: Index): void {
  const { start } = index.term('common')!;
  const maxDph = start + 4 * (1 + 4 * content.readUInt32LE(start));
  content.writeFloatLE(content.readFloatLE(maxDph) / 2, maxDph);
}

function clearLength(content: Buffer): void {
  content.writeUInt32LE(0, 4 * 17);
}

function swapIds(content: Buffer): void {
  const first = content.readUInt32LE(0);
  content.writeUInt32LE(content.readUInt32LE(4), 0);
  content.writeUInt32LE(first, 4);
}
