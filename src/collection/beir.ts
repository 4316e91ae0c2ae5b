import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { missingError } from '../common/errors.js';
import { throwReadFailure } from '../common/io-errors.js';
import { badInput } from './bad-input.js';
import { isFile } from './walk.js';

/**
 * A BEIR folder: `corpus.jsonl` and `queries.jsonl`, maybe with `.gz`, and the judgements either as `qrels.txt`
 * (TREC) or as `qrels/<split>.tsv` with a header line. Documents and queries themselves are JSONL.
 */
export async function findCorpus(folder: string): Promise<string | undefined> {
  return firstFile(folder, ['corpus.jsonl', 'corpus.jsonl.gz']);
}

export async function requireCorpus(folder: string): Promise<string> {
  const corpus = await findCorpus(folder);
  if (corpus !== undefined) return corpus;
  throw badInput(
    { file: folder },
    'this is not a BEIR folder: it holds neither corpus.jsonl nor corpus.jsonl.gz',
    'Name the folder that holds corpus.jsonl, or another --format (jsonl, tsv, trec, trecweb).',
  );
}

export async function requireQueries(folder: string): Promise<string> {
  const queries = await firstFile(folder, ['queries.jsonl', 'queries.jsonl.gz']);
  if (queries !== undefined) return queries;
  throw missingError(
    `${folder}: the folder holds neither queries.jsonl nor queries.jsonl.gz. Name the queries file itself.`,
  );
}

export async function requireQrels(folder: string, split = 'test'): Promise<string> {
  const inFolder = ['qrels', ''].flatMap((sub) =>
    ['.tsv', '.tsv.gz', '.txt', '.txt.gz'].map((ending) => join(sub, `${split}${ending}`)),
  );
  const single = split === 'test' ? ['qrels.txt', 'qrels.txt.gz', 'qrels.tsv', 'qrels.tsv.gz'] : [];
  const qrels = await firstFile(folder, [...single, ...inFolder, `qrels.${split}.txt`]);
  if (qrels !== undefined) return qrels;
  const names = await readdir(folder).catch(throwReadFailure(folder));
  throw missingError(
    `${folder}: no relevance judgements for split "${split}" (qrels.txt or qrels/${split}.tsv) in this folder ` +
      `(it holds ${names.toSorted().slice(0, 8).join(', ') || 'nothing'}). Name the qrels file itself.`,
  );
}

/** The other splits beside a file of judgements, in words for a message; empty where there are none. */
export async function otherSplits(file: string): Promise<string> {
  if (!splitFile.test(file)) return '';
  const names = await readdir(dirname(file));
  const others = names.filter((name) => splitFile.test(name) && name !== basename(file)).toSorted();
  return others.length === 0 ? '' : ` (not ${others.join(', ')}; name the file for another split)`;
}

const splitFile = /(?:^|[/\\])(?:train|dev|test|val|validation)\.(?:tsv|txt)(?:\.gz)?$/;

async function firstFile(folder: string, names: readonly string[]): Promise<string | undefined> {
  for (const name of names) {
    const path = join(folder, name);
    if (await isFile(path)) return path;
  }
  return undefined;
}
