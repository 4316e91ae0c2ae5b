import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { readQrels, readQueries, type Query } from '../../src/collection/index.js';

import { syllables } from './authors-model.js';

/** The topics and judgements of a TREC collection. */
export interface TrecFiles {
  /** Paths of the topics, in as many files as they come in. */
  readonly topics: readonly string[];
  readonly qrels: string;
}

/** A document to write: its id, the words of queries that it answers or only mentions, and its place. */
interface MadeUp {
  readonly id: string;
  readonly answers: string;
  readonly mentions: string;
}

const base = syllables.length;

/** Words that no other document has: numbers in syllables. */
export class WordSource {
  #next = 1;

  words(count: number): string {
    const words: string[] = [];
    for (; words.length < count; this.#next++) {
      // A step that is a prime visits every word once.
      const number = (this.#next * 7919) % base ** 3;
      words.push(
        [number % base, Math.floor(number / base) % base, Math.floor(number / base ** 2)]
          .map((i) => syllables[i])
          .join(''),
      );
    }
    return words.join(' ');
  }
}

function topicOf(number: number, words: string): string {
  return `<top>\n\n<num> Number: ${number}\n<title> ${words}\n\n<desc> Description:\nAbout ${words}.\n\n</top>\n\n`;
}

/** Topics and judgements of a collection that nobody has, with the ids of Robust04's or GOV2's. */
export function makeUpTopics(folder: string, kind: 'robust04' | 'gov2'): TrecFiles {
  const source = new WordSource();
  const numbers = kind === 'gov2' ? range(701, 850) : [...range(301, 450), ...range(601, 700)];
  const texts = new Map(numbers.map((number) => [number, source.words(3)]));
  const parts = kind === 'gov2' ? [range(701, 750), range(751, 800), range(801, 850)] : [numbers];
  const topics = parts.map((part, i) => {
    const path = join(folder, `topics-${i}.txt`);
    write(path, part.map((number) => topicOf(number, texts.get(number)!)).join(''));
    return path;
  });
  const prefixes = ['FT911-', 'FBIS3-', 'LA010189-', 'FR940104-0-'];
  // Topic 703 of GOV2 was never judged.
  const judged = numbers.filter((number) => number !== 703);
  const lines = judged.flatMap((number) =>
    range(0, 3).map((i) => {
      const serial = String(10_000 + 4 * number + i);
      const id = kind === 'gov2' ? `GX0${String(i)}1-22-00${serial}` : prefixes[i]! + serial;
      return `${number} 0 ${id} ${i < 2 ? 2 - i : 0}`;
    }),
  );
  write(join(folder, 'qrels.txt'), `${lines.join('\n')}\n`);
  return { topics, qrels: join(folder, 'qrels.txt') };
}

/**
 * A thousand documents whose ids, for the judged part, are those that the judgements name: two relevant and two other ones
 * of every query. A relevant one has the words of its query, another mentions one of them.
 */
async function madeUp(files: TrecFiles, otherId: (i: number) => string): Promise<MadeUp[]> {
  const queries = new Map<string, Query>();
  for (const path of files.topics) for (const query of await readQueries(path)) queries.set(query.id, query);
  const documents = new Map<string, MadeUp>();
  for (const [query, judged] of await readQrels(files.qrels)) {
    const text = queries.get(query)?.text;
    if (text === undefined) continue;
    const taken = { relevant: 0, others: 0 };
    for (const [id, level] of judged) {
      const kind = level > 0 ? 'relevant' : 'others';
      if (taken[kind] === 2 || documents.has(id)) continue;
      taken[kind]++;
      const [first = text] = text.split(' ');
      documents.set(id, { id, answers: level > 0 ? text : '', mentions: level > 0 ? '' : first });
    }
  }
  for (let i = 0; documents.size < 1000; i++) {
    const id = otherId(i);
    documents.set(id, { id, answers: '', mentions: '' });
  }
  return [...documents.values()].slice(0, 1000);
}

/** Writes disks 4 and 5 with the markup of each source, the Congressional Record, notes and DTDs; and the documents' number. */
export async function writeRobust04(root: string, files: TrecFiles): Promise<number> {
  const source = new WordSource();
  const documents = await madeUp(files, (i) => `FT944-${900_000 + i}`);
  const bySource = new Map<string, string[]>();
  for (const document of documents) {
    const [file, markup] = sourceOf(document.id);
    bySource.set(file, [...(bySource.get(file) ?? []), markup(document, source)]);
  }
  for (const [file, texts] of bySource) write(join(root, file), gzipSync(texts.join('\n')), '.gz');
  const congress = range(1, 40).map(
    (i) => `<DOC>\n<DOCNO> CR93E-${i} </DOCNO>\n<TEXT>\n${source.words(30)}\n</TEXT>\n</DOC>\n`,
  );
  write(join(root, 'disk4/CR_103RD/93/HFILES/93E1'), congress.join(''));
  write(join(root, 'disk4/FT/READMEFT'), 'The Financial Times, as nobody printed it.\n');
  write(join(root, 'disk5/DTDS/FBISDTD'), '<!DOCTYPE doc [ <!ELEMENT doc (docno,text)> ]>\n');
  return documents.length;
}

type Markup = (document: MadeUp, source: WordSource) => string;

function sourceOf(id: string): [file: string, markup: Markup] {
  if (id.startsWith('FT')) return [`disk4/FT/${id.slice(0, 5)}/${id.slice(0, 5)}_1`, financialTimes];
  if (id.startsWith('FR')) return [`disk4/FR94/01/${id.slice(0, 8)}.0`, federalRegister];
  if (id.startsWith('FBIS')) return [`disk5/FBIS/FB3${id.slice(4, 5)}6001`, broadcasts];
  return [`disk5/LATIMES/${id.slice(0, 8)}`, angelesTimes];
}

/** The text of a document in lines of eight words; every third document has two passages. */
function body({ id, answers, mentions }: MadeUp, source: WordSource): string {
  const length = [...id].reduce((sum, character) => sum + character.codePointAt(0)!, 0) % 3 === 0 ? 130 : 30;
  const words = `${answers} ${source.words(6)} ${answers} ${mentions} ${source.words(length)}`
    .trim()
    .split(/\s+/);
  const lines: string[] = [];
  for (let i = 0; i < words.length; i += 8) lines.push(words.slice(i, i + 8).join(' '));
  return lines.join('\n');
}

const financialTimes: Markup = (document, source) =>
  `<DOC>\n<DOCNO>${document.id}</DOCNO>\n<PROFILE>_AN-BEOA7AAIFT</PROFILE>\n<DATE>910514\n</DATE>\n<HEADLINE>\nFT  14 MAY 91 / ${source.words(3)} ${document.answers}\n</HEADLINE>\n<BYLINE>\n   By ${source.words(2)}\n</BYLINE>\n<TEXT>\n${body(document, source)}\n</TEXT>\n<PUB>The Financial Times\n</PUB>\n<PAGE>\nLondon Page 11\n</PAGE>\n</DOC>\n`;

const federalRegister: Markup = (document, source) =>
  `<DOC>\n<DOCNO> ${document.id} </DOCNO>\n<PARENT> ${document.id} </PARENT>\n<TEXT>\n \n<!-- PJG STAG 4700 -->\n<!-- PJG ITAG l=90 g=1 f=1 -->\n<USDEPT>${source.words(2)}</USDEPT>\n<!-- PJG /ITAG -->\n${body(document, source)} long&hyph;term &sect;&blank;4\n<!-- PJG /STAG -->\n</TEXT>\n</DOC>\n`;

const broadcasts: Markup = (document, source) =>
  `<DOC>\n<DOCNO> ${document.id} </DOCNO>\n<HT>  "cr00000011094001" </HT>\n\n<HEADER>\n<H2>   March Reports </H2>\n<DATE1>  1 March 1994 </DATE1>\nArticle Type:FBIS \n<H3> <TI>      ${source.words(3)} ${document.answers} </TI></H3>\n\n</HEADER>\n\n<TEXT>\n${body(document, source)}\n<F P=102> ${source.words(1)} </F>\n</TEXT>\n\n</DOC>\n`;

const angelesTimes: Markup = (document, source) =>
  `<DOC>\n<DOCNO> ${document.id} </DOCNO>\n<DOCID> 1 </DOCID>\n<DATE>\n<P>\nJanuary 1, 1989, Sunday, Home Edition \n</P>\n</DATE>\n<HEADLINE>\n<P>\n${source.words(3)} ${document.answers}\n</P>\n</HEADLINE>\n<TEXT>\n<P>\n${body(document, source)}\n</P>\n</TEXT>\n<GRAPHIC>\n<P>\nPhoto, ${source.words(2)}\n</P>\n</GRAPHIC>\n</DOC>\n`;

/** Writes GX folders of web pages, each with its words in title and text; and the documents' number. */
export async function writeGov2(root: string, files: TrecFiles): Promise<number> {
  const source = new WordSource();
  const documents = await madeUp(files, (i) => `GX272-99-${String(1_000_000 + i)}`);
  const byFile = new Map<string, string[]>();
  for (const document of documents) {
    const [folder = '', part = ''] = document.id.split('-');
    // The words of a relevant page's query stand in its title alone.
    const { answers } = document;
    const page = `<html><head><title>${answers} ${source.words(2)}</title>\n<script>if (a < b) hide();</script></head>\n<body><h1>${source.words(2)}</h1>\n<p>${body({ ...document, answers: '', mentions: document.mentions }, source)}</p></body></html>`;
    const text = `<DOC>\n<DOCNO>${document.id}</DOCNO>\n<DOCHDR>\nhttp://www.example.gov/${document.id}.html\nHTTP/1.1 200 OK\nContent-Type: text/html\n</DOCHDR>\n${page}\n</DOC>\n`;
    const file = join(folder, part);
    byFile.set(file, [...(byFile.get(file) ?? []), text]);
  }
  for (const [file, pages] of byFile) write(join(root, file), gzipSync(pages.join('')), '.gz');
  return documents.length;
}

/** The authors' folder of partitions: `1/train_query`, `1/valid_query`, `1/test_query` and so on. */
export function writeFoldFolder(
  folder: string,
  folds: readonly Readonly<Record<'train' | 'valid' | 'test', readonly string[]>>[],
): void {
  for (const [i, fold] of folds.entries()) {
    for (const part of ['train', 'valid', 'test'] as const) {
      write(join(folder, String(i + 1), `${part}_query`), `${fold[part].join('\n')}\n`);
    }
  }
}

/** Writes copies of judgements cut into files by the first digit of the topic's tens, as GOV2's three years. */
export function splitQrels(path: string, folder: string): string[] {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  return [750, 800, 850].map((last) => {
    const part = lines.filter((line) => {
      const topic = Number.parseInt(line, 10);
      return topic <= last && topic > last - 50;
    });
    const file = join(folder, `qrels-${last}.txt`);
    write(file, `${part.join('\n')}\n`);
    return file;
  });
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}

function write(path: string, content: string | Uint8Array, ending = ''): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path + ending, content);
}
