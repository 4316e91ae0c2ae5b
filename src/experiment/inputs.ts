import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { hashJson, hashPath } from '../common/hash.js';
import {
  publishedFolds,
  readFolds,
  readQrels,
  readQueries,
  readRun,
  roundRobinFolds,
  type Fold,
  type Qrels,
  type Query,
  type Run,
} from '../collection/index.js';
import { inputError, missingError } from '../common/errors.js';
import { resolvePath } from './file/paths.js';
import type { ExperimentFile } from './file/schema.js';

export interface Inputs {
  readonly documents: string;
  /** Folder of the index; absent where the experiment builds its own. */
  readonly index?: string;
  /** The queries that some fold trains on, validates with or tests, by id. */
  readonly queries: ReadonlyMap<string, Query>;
  readonly qrels: Qrels;
  readonly folds: readonly Fold[];
  /** The rankings that the file gives as runs, by name. */
  readonly runs: ReadonlyMap<string, Run>;
  readonly digests: Readonly<Record<'documents' | 'queries' | 'qrels' | 'folds', string>> & {
    /** Of the run with this name. */
    readonly [run: `run ${string}`]: string;
  };
}

/**
 * Reads the inputs that an experiment file names, and checks that they fit together. The documents are only hashed, and
 * not even that where nothing will be made of them (`hashesDocuments`): the pages of GOV2 take long.
 */
export async function readInputs(
  experiment: ExperimentFile,
  file: string,
  { hashesDocuments = true }: { readonly hashesDocuments?: boolean } = {},
): Promise<Inputs> {
  const { collection } = experiment;
  const at = (path: string): string => resolvePath(file, path);
  const documents = at(collection.documents);
  const index = experiment.index.folder === undefined ? undefined : at(experiment.index.folder);
  const queryFiles = [collection.queries ?? collection.documents].flat().map(at);
  const qrelsFiles = [collection.qrels ?? collection.documents].flat().map(at);
  const all = await readAllQueries(queryFiles, collection.queryField);
  const qrels = await readAllQrels(qrelsFiles);
  const queriesPath = queryFiles.join(', ');
  const folds = await foldsOf(experiment, at, all, qrels, queriesPath);
  const isTrained = typeof experiment.training === 'object';
  const used = new Set(
    folds.flatMap(({ train, valid, test }) => [...valid, ...test, ...(isTrained ? train : [])]),
  );
  const missing = [...used].find((id) => !all.has(id));
  if (missing !== undefined) {
    throw missingError(
      `${file}: the folds have query "${missing}", but ${queriesPath} does not; give the queries of the folds.`,
    );
  }
  const queries = new Map([...all].filter(([id]) => used.has(id)));
  const tested = folds.flatMap(({ test }) => test);
  const given = [experiment.initial, ...experiment.baselines].filter((each) => typeof each !== 'string');
  const runs = new Map<string, Run>();
  const runDigests: Record<`run ${string}`, string> = {};
  for (const { name, run } of given) {
    runs.set(name, await readGivenRun(at(run), tested));
    runDigests[`run ${name}`] = await hashPath(at(run));
  }
  return {
    documents,
    ...(index === undefined ? {} : { index }),
    queries,
    qrels,
    folds,
    runs,
    digests: {
      documents: hashesDocuments
        ? await hashPath(index === undefined ? await corpusOf(documents) : join(index, 'index.json'))
        : '',
      queries: hashJson([...queries.values()].map(({ id, text }) => [id, text])),
      qrels: hashJson([...qrels].map(([query, judged]) => [query, [...judged]])),
      folds: hashJson(folds),
      ...runDigests,
    },
  };
}

/** Reads a run that has at least one of the queries to test. */
async function readGivenRun(path: string, tested: readonly string[]): Promise<Run> {
  const run = await readRun(path);
  if (tested.some((query) => run.has(query))) return run;
  throw inputError(
    `${path} ranks none of the ${tested.length} test queries (${tested[0]}, …); give the run of these queries.`,
  );
}

/** The path of the documents themselves: in a BEIR folder, the corpus without the queries and judgements. */
async function corpusOf(documents: string): Promise<string> {
  const names = await readdir(documents).catch(() => []);
  const corpus = names.find((name) => /^corpus\.jsonl(\.gz)?$/.test(name));
  return corpus === undefined ? documents : join(documents, corpus);
}

async function foldsOf(
  { folds }: ExperimentFile,
  at: (path: string) => string,
  queries: ReadonlyMap<string, Query>,
  qrels: Qrels,
  queriesPath: string,
): Promise<Fold[]> {
  if (typeof folds === 'string') return namedFolds(folds, at);
  const judged = [...queries.keys()].filter((id) => qrels.has(id));
  if (judged.length < folds.roundRobin) {
    throw inputError(
      `${queriesPath}: ${judged.length} of the queries are judged, too few for ${folds.roundRobin} folds; ` +
        'give the judgements of these queries, or fewer folds.',
    );
  }
  const dealt = roundRobinFolds(folds.of === 'judged' ? judged : queries.keys(), folds.roundRobin);
  // A query without judgements has its place in a partition; nothing is learnt from ranking it.
  const kept = (ids: readonly string[]): string[] => ids.filter((id) => qrels.has(id));
  return dealt.map((fold) => ({ train: kept(fold.train), valid: kept(fold.valid), test: kept(fold.test) }));
}

/** Published folds by their name, or the folds in a file or folder. */
export async function namedFolds(name: string, at: (path: string) => string): Promise<Fold[]> {
  return publishedFolds(name) ?? readFolds(at(name));
}

/** The queries of several files by id; one that occurs twice is an error. */
async function readAllQueries(
  files: readonly string[],
  field: ExperimentFile['collection']['queryField'],
): Promise<Map<string, Query>> {
  const all = new Map<string, Query>();
  for (const file of files) {
    for (const query of await readQueries(file, { field })) {
      if (all.has(query.id)) {
        throw inputError(`${file}: query "${query.id}" is in another file too; name every file once.`);
      }
      all.set(query.id, query);
    }
  }
  return all;
}

async function readAllQrels(files: readonly string[]): Promise<Qrels> {
  const all = new Map<string, Map<string, number>>();
  for (const file of files) {
    for (const [query, judged] of await readQrels(file)) {
      all.set(query, new Map([...(all.get(query) ?? []), ...judged]));
    }
  }
  return all;
}
