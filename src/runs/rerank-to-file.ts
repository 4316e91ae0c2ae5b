import { existsSync, statSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { formatRun, type DocumentStore, type Query, type QueryRanking } from '../collection/index.js';
import { closing } from '../common/closing.js';
import { throwIfAborted, usageError } from '../common/errors.js';
import { hashJson } from '../common/hash.js';
import { Journal } from '../common/journal.js';
import { withLock } from '../common/lock.js';
import { standardStream, writeOutput } from '../common/output.js';
import type { BertQE, RerankProgress } from '../expansion/index.js';
import type { InitialRankings } from './initial-rankings.js';
import type { RunInputs } from './load-reranker.js';
import { type QueryExplanation, rerankRun, type RerankedQuery } from './rerank-run.js';
import { RunCounter, type RunProgress, type RunTotals } from './totals.js';

/** The parts of a re-ranked query that go into files. */
export interface FinishedQuery extends Pick<RerankedQuery, 'query' | 'ranking' | 'cost'> {
  /** Present where it was asked for; every method has one of its own. */
  readonly explanation?: QueryExplanation;
}

/** The lines of a finished query in the run and, where they are wanted, in the explanations. */
interface WrittenQuery {
  readonly query: string;
  readonly run: string;
  readonly explanation?: string;
}

/** The options of one call of {@link RunReranker.rerank}. */
export interface RunRerankOptions {
  readonly explain: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: (progress: RerankProgress) => void;
}

/** The re-ranking part of a run: models in this process ({@link localReranker}) or a fleet ({@link fleetReranker}). */
export interface RunReranker {
  /** Everything that the results depend on besides queries and rankings, under the names that messages use. */
  readonly inputs: RunInputs;
  /** Re-ranks queries; the results come in the order of the rankings. */
  rerank(
    queries: readonly Query[],
    rankings: AsyncIterable<QueryRanking>,
    options: RunRerankOptions,
  ): AsyncIterable<FinishedQuery>;
}

/** The options of {@link localReranker} and {@link fleetReranker}. */
export interface RunRerankerOptions {
  /** Only the first places are wanted: pairs that cannot change them are not scored. */
  readonly topK?: number | undefined;
  /** Hashes or names of what cannot be seen from here, the models and the documents. */
  readonly inputs?: RunInputs;
}

/** Re-ranks the queries of a run in this process. */
export function localReranker(
  bertQe: BertQE,
  documents: DocumentStore,
  options: RunRerankerOptions = {},
): RunReranker {
  const { topK, inputs = {} } = options;
  const settings = Object.entries({ ...bertQe.settings, topK }).map(([name, value]) => [
    name,
    JSON.stringify(value) ?? '',
  ]);
  return {
    inputs: { ...Object.fromEntries(settings), ...inputs },
    rerank: (queries, rankings, call) => rerankRun(bertQe, queries, rankings, documents, { ...call, topK }),
  };
}

/** A run to re-rank, and where its results go. */
export interface RerankToFileOptions {
  readonly reranker: RunReranker;
  /** The queries and their initial rankings: {@link runRankings} or {@link retrievedRankings}. */
  readonly rankings: InitialRankings;
  /** TREC run to write; `-` is standard output. */
  readonly out?: string;
  /** File for an explanation per query, as JSON lines; `-` is standard output. */
  readonly explanations?: string;
  /** Name of the run, its last column (`bert-qe`). */
  readonly tag?: string;
  /** The stream that `-` stands for (the process's own). */
  readonly stdout?: NodeJS.WritableStream;
  /** Stops the work. What is finished stays in the journal, and the same call continues after it. */
  readonly signal?: AbortSignal | undefined;
  /** Called once, before the work, where an earlier call left finished queries. */
  readonly onResume?: (finished: number, journal: string) => void;
  readonly onProgress?: (progress: RunProgress) => void;
  /** Called with every query that is re-ranked now, before it is written. */
  readonly onReranked?: (query: FinishedQuery) => void;
}

/**
 * Re-ranks a run into files, and continues where an earlier call was stopped.
 *
 * Finished queries are appended to a journal beside the output (`OUT.journal`) and flushed to the disk. When all are
 * there, the files are written atomically and the journal is removed. After an error, an abort or a kill the same call
 * re-ranks the queries that are missing; the files are the same, byte for byte. A journal of other inputs is refused,
 * and so is a second call while the first one writes the same file.
 *
 * Standard output, pipes and devices have no journal: queries are written as they are finished.
 *
 * `examples/rerank-run.mjs` is a complete program.
 */
export async function rerankToFile(options: RerankToFileOptions): Promise<RunTotals> {
  const { out, explanations, rankings, reranker } = options;
  if (out === standardStream && explanations === standardStream) {
    throw usageError('The run and the explanations cannot both go to standard output.');
  }
  const tag = options.tag ?? 'bert-qe';
  const inputs = {
    ...reranker.inputs,
    ...rankings.inputs,
    queries: hashJson(rankings.queries),
    tag,
    explanations: String(explanations !== undefined),
  };
  const plan: Plan = { ...options, tag, inputs };
  const files = [out, explanations].filter(
    (path): path is string => path !== undefined && isReplaceable(path),
  );
  const [first] = files;
  if (first === undefined) return writeDirectly(plan);
  const journal = `${first}.journal`;
  await refuseSameFile([...files, journal]);
  return withFileLocks(files, options.signal, () => writeFromJournal(plan, journal));
}

/** Refuses one path for two of the run, the explanations and their journal: one would replace the other. */
async function refuseSameFile(files: readonly string[]): Promise<void> {
  const paths = await Promise.all(files.map(placeOf));
  const second = paths.findIndex((path, i) => paths.indexOf(path) < i);
  if (second < 0) return;
  throw usageError(
    `${files[second]} cannot hold both the run and the explanations, or the journal of them; name another file for one.`,
  );
}

/** A link and the file that it leads to are one output. */
async function placeOf(file: string): Promise<string> {
  const folder = await realpath(dirname(file)).catch(() => resolve(dirname(file)));
  return realpath(file).catch(() => join(folder, basename(file)));
}

/** Runs an action while no other process writes one of the files. */
async function withFileLocks<T>(
  files: readonly string[],
  signal: AbortSignal | undefined,
  action: () => Promise<T>,
): Promise<T> {
  const [file, ...others] = files;
  if (file === undefined) return action();
  return withLock(`${await placeOf(file)}.lock`, { what: file, inExistingFolder: true, signal }, () =>
    withFileLocks(others, signal, action),
  );
}

interface Plan extends RerankToFileOptions {
  readonly tag: string;
  readonly inputs: RunInputs;
}

/** True for a file and for a path where one can be made: not for standard output, a pipe or a device. */
function isReplaceable(path: string): boolean {
  return path !== standardStream && (!existsSync(path) || statSync(path).isFile());
}

async function writeFromJournal(plan: Plan, path: string): Promise<RunTotals> {
  const { out, explanations, stdout } = plan;
  const { total } = plan.rankings;
  const opening = Journal.open<WrittenQuery>(path, {
    kind: 'bert-qe rerank 1',
    inputs: plan.inputs,
    keysOf: ({ query }) => [query],
    ifOther: 'refuse',
  });
  return closing(opening, async (journal) => {
    const counter = new RunCounter(total, journal.size, plan.onProgress);
    if (journal.size > 0) plan.onResume?.(journal.size, path);
    if (journal.size < total) {
      for await (const query of rerankMissing(plan, counter, journal)) await journal.append(query);
    }
    if (out !== undefined) await writeOutput(out, partOf(journal, 'run'), stdout);
    if (explanations !== undefined) {
      await writeOutput(explanations, partOf(journal, 'explanation'), stdout);
    }
    await journal.discard();
    return counter.totals;
  });
}

async function* partOf(journal: Journal<WrittenQuery>, part: 'run' | 'explanation'): AsyncGenerator<string> {
  for await (const query of journal.entries()) yield query[part] ?? '';
}

/** Writes standard output query by query; the other output, a pipe or a device, follows at the end. */
async function writeDirectly(plan: Plan): Promise<RunTotals> {
  const { out, explanations, stdout } = plan;
  const counter = new RunCounter(plan.rankings.total, 0, plan.onProgress);
  const outputs = [
    { part: 'run', path: out },
    { part: 'explanation', path: explanations },
  ] as const;
  const [first, second] = explanations === standardStream ? outputs.toReversed() : outputs;
  const kept: string[] = [];
  const texts = async function* (): AsyncGenerator<string> {
    for await (const query of rerankMissing(plan, counter)) {
      yield query[first.part] ?? '';
      if (second.path !== undefined) kept.push(query[second.part] ?? '');
    }
  };
  await writeOutput(first.path ?? standardStream, texts(), stdout);
  if (second.path !== undefined) await writeOutput(second.path, kept, stdout);
  return counter.totals;
}

/** Re-ranks the queries that are not in the journal. */
async function* rerankMissing(
  plan: Plan,
  counter: RunCounter,
  journal?: Journal<WrittenQuery>,
): AsyncGenerator<WrittenQuery> {
  const { reranker, rankings, signal } = plan;
  const missing = async function* (): AsyncGenerator<QueryRanking> {
    for await (const ranking of rankings.rankings()) if (!journal?.has(ranking.query)) yield ranking;
  };
  const reranked = reranker.rerank(rankings.queries, missing(), {
    explain: plan.explanations !== undefined,
    onProgress: (progress) => counter.progress(progress),
    signal,
  });
  for await (const query of reranked) {
    throwIfAborted(signal);
    plan.onReranked?.(query);
    yield await format(query, plan);
    counter.add(query.cost, query.ranking.length);
  }
}

/** The lines of a query in the files that are wanted. */
async function format(
  { query, ranking, explanation }: FinishedQuery,
  { out, explanations, tag }: Plan,
): Promise<WrittenQuery> {
  let run = '';
  if (out !== undefined)
    for await (const lines of formatRun([{ query: query.id, ranking }], tag)) run += lines;
  return {
    query: query.id,
    run,
    ...(explanations === undefined ? {} : { explanation: `${JSON.stringify(explanation)}\n` }),
  };
}
