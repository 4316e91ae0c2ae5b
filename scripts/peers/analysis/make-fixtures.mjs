// Asks Anserini and Terrier for the terms of many texts and writes tests/fixtures/analysis; called by make.sh:
//   node make-fixtures.mjs SAMPLES_DIR FIXTURES_DIR
// Environment: LUCENE and TERRIER, the command lines of the two oracles; BERT_QE_COLLECTIONS (docs/collections.md).
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';

const [samplesFolder, out] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(join(samplesFolder, name)).href);
const { BLOCK, PROBED_PLANES, codePointTexts, porterWords, randomTexts } = await load('samples.js');
const { trickyTexts } = await load('tricky.js');

const SYSTEMS = {
  anserini: (texts) => ask(process.env.LUCENE, 'terms', texts),
  terrier: (texts) => ask(process.env.TERRIER, 'terms', texts),
  plain: (texts) => ask(process.env.LUCENE, 'plain', texts),
};

const texts = [...trickyTexts, ...randomTexts(1, 2000)];
const terms = mapValues(SYSTEMS, (system) => system(texts));
const cases = texts.map((text, i) => ({ text, ...mapValues(terms, (all) => all[i]) }));
writeFileSync(join(out, 'texts.json.gz'), gzipSync(JSON.stringify(cases), { level: 9 }));

const random = randomTexts(2, 30_000);
const words = porterWords();
const codePoints = {};
for (const plane of PROBED_PLANES) {
  const blocks = Array.from({ length: 0x10000 / BLOCK }, (_, i) => (plane << 16) / BLOCK + i);
  const answers = SYSTEMS.plain(blocks.flatMap(codePointTexts));
  for (const [i, block] of blocks.entries()) {
    const answered = answers.slice(i * BLOCK, (i + 1) * BLOCK);
    codePoints[(block * BLOCK).toString(16)] = digest(answered).sha256;
  }
}
const stems = ask(process.env.LUCENE, 'porter', words);
if (digest(stems).sha256 !== digest(ask(process.env.TERRIER, 'porter', words)).sha256) {
  throw new Error("Lucene's and Terrier's stemmers differ");
}
const digests = {
  made: 'bash scripts/peers/analysis/make.sh DIR (Lucene 9.9.1 in Anserini 1.5.0, Terrier 5.11, Java 21)',
  random: mapValues(SYSTEMS, (system) => digest(system(random))),
  porter: digest(stems),
  codePoints,
  collections: {},
};
for (const name of ['adi', 'cacm', 'cisi', 'cranfield', 'npl', 'scifact']) {
  const folder = join(process.env.BERT_QE_COLLECTIONS, name);
  if (!existsSync(folder)) throw new Error(`${folder} is absent`);
  const contents = ['corpus.jsonl', 'queries.jsonl'].flatMap((file) =>
    readFileSync(join(folder, file), 'utf8').trimEnd().split('\n').map(contentsOf),
  );
  digests.collections[name] = mapValues(SYSTEMS, (system) => digest(system(contents)));
}
writeFileSync(join(out, 'digests.json'), `${JSON.stringify(digests, null, 1)}\n`);

/** A document's text as both peers are fed it, or a query's. */
function contentsOf(line) {
  const { title, text } = JSON.parse(line);
  return title ? `${title} ${text}` : text;
}

/** The terms that an oracle makes of each text. */
function ask(command, mode, texts) {
  const [program, ...args] = command.split(' ');
  const input = texts.map((text) => `${escape(text)}\n`).join('');
  const output = execFileSync(program, [...args, mode], { input, maxBuffer: 2 ** 30, encoding: 'latin1' });
  const lines = output.split('\n');
  if (lines.length !== texts.length + 1)
    throw new Error(`${lines.length - 1} answers to ${texts.length} texts`);
  return lines.slice(0, -1).map((line) => (line === '' ? [] : line.split(' ').map(unescape)));
}

/** A digest of lists of terms, as tests/retrieval/analysis/oracle.ts makes it. */
function digest(lists) {
  const hash = createHash('sha256');
  let terms = 0;
  for (const list of lists) {
    terms += list.length;
    hash.update(`${list.join(' ')}\n`, 'utf16le');
  }
  return { terms, sha256: hash.digest('hex').slice(0, 16) };
}

function escape(text) {
  return text.replace(/[^ -[\]-~]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function unescape(term) {
  return term.replace(/\\u([0-9a-f]{4})/g, (_, code) => String.fromCharCode(parseInt(code, 16)));
}

function mapValues(object, map) {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]));
}
