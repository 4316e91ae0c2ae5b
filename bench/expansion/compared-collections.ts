// The collections on which ways of BERT-QE are compared. Of those for development most have documents of several passages:
// some as they are, others whose short documents are joined. A joined document is as relevant as the best of its parts.
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A collection, and how its documents get several passages. */
export interface ComparedCollection {
  readonly name: string;
  /** Nothing is chosen on a test collection. */
  readonly use: 'development' | 'test';
  readonly queries?: string;
  readonly judgements?: string;
  /** Parts of one document follow each other; parts whose ids match alike stay together. */
  readonly parts?: { readonly most: number; readonly alike?: RegExp; readonly shuffled?: boolean };
  readonly documents: string;
}

const development: readonly Omit<ComparedCollection, 'use'>[] = [
  {
    name: 'nfcorpus',
    queries: 'queries.all.jsonl',
    judgements: 'qrels/dev.tsv',
    documents: 'abstracts, development queries',
  },
  {
    name: 'squad_dev',
    parts: { most: 4, alike: /^.*(?=_\d+$)/ },
    documents: 'up to four paragraphs of an article in a row',
  },
  {
    name: 'obliqa',
    judgements: 'qrels.dev.txt',
    parts: { most: 6 },
    documents: 'six sections in a row, development queries',
  },
  {
    name: 'semeval2016-cqa-c',
    parts: { most: Infinity, alike: /^Q\d+_R\d+/ },
    documents: 'the comments of a thread',
  },
  { name: 'bioasq-snippets', parts: { most: 8, shuffled: true }, documents: 'eight snippets at random' },
  { name: 'argkp-2021', parts: { most: 12, shuffled: true }, documents: 'twelve arguments at random' },
  { name: 'scifact', judgements: 'qrels.train.txt', documents: 'abstracts, training queries' },
];

const test: readonly Omit<ComparedCollection, 'use'>[] = [
  { name: 'cranfield', documents: 'abstracts' },
  { name: 'cisi', documents: 'abstracts' },
  { name: 'cacm', documents: 'titles and abstracts' },
  { name: 'npl', documents: 'titles' },
  { name: 'scifact', documents: 'abstracts' },
  { name: 'nfcorpus', documents: 'abstracts' },
  { name: 'acord', documents: 'clauses' },
  { name: 'trec-dl19-passage', documents: 'passages' },
  { name: 'trec-dl20-passage', documents: 'passages' },
];

export const COMPARED: readonly ComparedCollection[] = [
  ...development.map((each) => ({ ...each, use: 'development' as const })),
  ...test.map((each) => ({ ...each, use: 'test' as const })),
];

/** The name of a collection with its use, by which it is asked for. */
export function nameOf({ name, use }: Pick<ComparedCollection, 'name' | 'use'>): string {
  return `${name}:${use}`;
}

interface Part {
  readonly _id: string;
  readonly title?: string;
  readonly text: string;
}

/** Writes such a collection: corpus.jsonl, queries.jsonl, qrels.txt and, for tests, the first stage that comes with it. */
export function writeCompared(source: string, made: ComparedCollection, folder: string): void {
  mkdirSync(folder, { recursive: true });
  const run = join(source, 'run.trec');
  if (made.use === 'test' && existsSync(run)) copyFileSync(run, join(folder, 'run.trec'));
  const parts = linesOf(join(source, 'corpus.jsonl')).map((line) => JSON.parse(line) as Part);
  const documentOf = new Map<string, string>();
  const corpus = joined(parts, made).map((group) => {
    const [{ _id, title }] = group;
    for (const part of group) documentOf.set(part._id, _id);
    return JSON.stringify({ _id, title, text: group.map(({ text }) => text).join(' ') });
  });
  const grades = new Map<string, number>();
  for (const line of linesOf(join(source, made.judgements ?? 'qrels.txt'))) {
    const fields = line.trim().split(/\s+/);
    const [query, part, grade] = [fields[0], fields.at(-2)!, Number(fields.at(-1))];
    const document = documentOf.get(part);
    if (document === undefined) continue;
    const judged = `${query} 0 ${document}`;
    grades.set(judged, Math.max(grades.get(judged) ?? 0, grade));
  }
  const write = (name: string, lines: readonly string[]) =>
    writeFileSync(join(folder, name), `${lines.join('\n')}\n`);
  write('corpus.jsonl', corpus);
  write('queries.jsonl', linesOf(join(source, made.queries ?? 'queries.jsonl')));
  write(
    'qrels.txt',
    [...grades].map(([judged, grade]) => `${judged} ${grade}`),
  );
}

function joined(parts: readonly Part[], { parts: how }: ComparedCollection): Part[][] {
  if (!how) return parts.map((part) => [part]);
  const alike = new Map<string, Part[][]>();
  for (const part of how.shuffled ? shuffled(parts) : parts) {
    const key = how.alike?.exec(part._id)?.[0] ?? '';
    const groups = alike.get(key) ?? [[]];
    if (groups.at(-1)!.length === how.most) groups.push([]);
    groups.at(-1)!.push(part);
    alike.set(key, groups);
  }
  return [...alike.values()].flat();
}

/** Always the same order. */
function shuffled(parts: readonly Part[]): Part[] {
  let state = 1;
  const random = () => (state = (Math.imul(state, 48_271) >>> 0) % 0x7fffffff);
  return parts
    .map((part) => ({ part, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ part }) => part);
}

function linesOf(file: string): string[] {
  return readFileSync(file, 'utf8').trim().split('\n');
}
