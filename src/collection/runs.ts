import { closing } from '../common/closing.js';
import { usageError } from '../common/errors.js';
import { getOrInsert } from '../common/get-or-insert.js';
import { writeOutput } from '../common/output.js';
import { badInput, quote } from './bad-input.js';
import { ByteSource } from './byte-source.js';
import { ColumnScanner } from './columns.js';
import { type LineBlock, readLineBlocks } from './lines.js';
import type { Ranking, Run, ScoredDocument } from './types.js';

export interface ReadRunOptions {
  /** Keeps both places of a document that is listed twice for a query (passage runs), instead of refusing the run. */
  readonly duplicates?: 'error' | 'keep';
}

/** The part of a run that belongs to one query. */
export interface QueryRanking {
  readonly query: string;
  readonly ranking: Ranking;
}

/**
 * Reads a TREC run (`query Q0 document rank score tag`). As in trec_eval, the score alone decides the order: ranks are
 * ignored, and lines may come in any order. Equal scores keep the order of the file. Words after the tag are ignored.
 */
export async function readRun(path: string, { duplicates = 'error' }: ReadRunOptions = {}): Promise<Run> {
  const scan = new RunScan(path, 'any order');
  await closing(scan, async () => {
    while (await scan.readBlock());
  });
  const run = new Map<string, Ranking>();
  for (const [query, group] of scan.groups) run.set(query, group.finish(query, scan.file, duplicates));
  return run;
}

/**
 * Reads a run as {@link readRun} does, but one query at a time, for runs larger than memory. The lines of a query must
 * be adjacent.
 */
export async function* readRunByQuery(
  path: string,
  { duplicates = 'error' }: ReadRunOptions = {},
): AsyncGenerator<QueryRanking> {
  const scan = new RunScan(path, 'by query');
  try {
    for (let more = true; more;) {
      more = await scan.readBlock();
      for (const [query, group] of scan.groups) {
        if (more && query === scan.current) continue;
        scan.groups.delete(query);
        yield { query, ranking: group.finish(query, scan.file, duplicates) };
      }
    }
  } finally {
    await scan.close();
  }
}

/** The lines of one query, in the order of the file. */
class QueryGroup {
  private readonly documents: ScoredDocument[] = [];
  private sorted = true;
  /** The index and the line at which each stretch of adjacent lines begins. */
  private readonly stretches: { index: number; line: number }[] = [];
  private nextLine = -1;

  add(id: string, score: number, line: number): void {
    const index = this.documents.length;
    if (line !== this.nextLine) this.stretches.push({ index, line });
    this.nextLine = line + 1;
    if (index > 0 && this.documents[index - 1].score < score) this.sorted = false;
    this.documents.push({ id, score });
  }

  /** The checked and ordered ranking; called once, after the last line. */
  finish(query: string, file: string, duplicates: 'error' | 'keep'): Ranking {
    if (duplicates === 'error') this.checkDistinct(query, file);
    // The sort is stable, so equal scores keep the file's order.
    if (!this.sorted) this.documents.sort((a, b) => b.score - a.score);
    return this.documents;
  }

  private checkDistinct(query: string, file: string): void {
    const seen = new Set<string>();
    this.documents.forEach(({ id }, index) => {
      if (seen.add(id).size > index) return;
      const stretch = this.stretches.findLast((candidate) => candidate.index <= index)!;
      throw badInput(
        { file, line: stretch.line + index - stretch.index },
        `document ${quote(id)} is listed twice for query ${quote(query)}`,
        'Keep the line with the better score and remove the other.',
      );
    });
  }
}

/** Groups lines by query, a block of the file at a time. */
class RunScan {
  readonly groups = new Map<string, QueryGroup>();
  current = '';

  private readonly source: ByteSource;
  private readonly blocks: AsyncGenerator<LineBlock>;
  /** Queries whose lines have ended, where a query's lines must be adjacent. */
  private readonly begun: Set<string> | undefined;
  private currentBytes: Uint8Array = new Uint8Array();

  constructor(path: string, order: 'any order' | 'by query') {
    this.source = ByteSource.open(path);
    this.blocks = readLineBlocks(this.source);
    this.begun = order === 'by query' ? new Set() : undefined;
  }

  get file(): string {
    return this.source.name;
  }

  /** False at the end of the file. */
  async readBlock(): Promise<boolean> {
    const { value, done } = await this.blocks.next();
    if (done) return false;
    const { file } = this;
    const scanner = new ColumnScanner(value);
    let group = this.groups.get(this.current);
    while (scanner.next()) {
      checkColumns(scanner, file);
      if (group === undefined || !scanner.equals(0, this.currentBytes)) group = this.turnTo(scanner);
      const score = scanner.number(4);
      if (!Number.isFinite(score)) {
        throw badInput(
          { file, line: scanner.line },
          `the score ${quote(scanner.text(4))} in column 5 is not a number`,
          `${layout} with a decimal score.`,
        );
      }
      group.add(scanner.text(2), score, scanner.line);
    }
    return true;
  }

  async close(): Promise<void> {
    await this.blocks.return(undefined);
  }

  /** Makes the query of the scanner's line the current one. */
  private turnTo(scanner: ColumnScanner): QueryGroup {
    const query = scanner.text(0);
    if (this.begun?.has(query)) {
      throw badInput(
        { file: this.file, line: scanner.line },
        `query ${quote(query)} comes back after other queries, but its lines must stand together here`,
        'Sort the run by query first (sort -s -k1,1).',
      );
    }
    this.begun?.add(query);
    this.current = query;
    this.currentBytes = scanner.copy(0);
    return getOrInsert(this.groups, query, () => new QueryGroup());
  }
}

const layout = 'Write every line as "query Q0 document rank score tag"';

function checkColumns(scanner: ColumnScanner, file: string): void {
  if (scanner.count === 6) return;
  const origin = { file, line: scanner.line };
  if (scanner.count < 6) {
    throw badInput(origin, `6 columns were expected, not ${scanner.count}`, `${layout}.`);
  }
  // The authors' passage runs have the passage's number before the rank, which would be taken for the score.
  if (scanner.count === 7 && !Number.isNaN(scanner.number(5))) {
    throw badInput(origin, '6 columns were expected, not 7 with a number in the sixth', `${layout}.`);
  }
}

export interface WriteRunOptions {
  /** The run's name, its last column (`bert-qe`). */
  readonly tag?: string;
  /** The stream that `-` stands for (the process's own). */
  readonly stdout?: NodeJS.WritableStream;
}

/** A whole run, or its queries one by one as they are ranked. */
export type RunSource = Run | Iterable<QueryRanking> | AsyncIterable<QueryRanking>;

/**
 * Writes a TREC run, atomically, or to standard output for `-`. Scores have as many digits as it takes to read the
 * same double back, so that no two documents change places.
 */
export async function writeRun(path: string, run: RunSource, options: WriteRunOptions = {}): Promise<void> {
  const { tag = 'bert-qe', stdout } = options;
  checkWord(tag, 'run tag');
  await writeOutput(path, formatRun(run, tag), stdout);
}

/** The lines of a run, one string per query. */
export async function* formatRun(run: RunSource, tag: string): AsyncGenerator<string> {
  for await (const { query, ranking } of rankingsOf(run)) {
    checkWord(query, 'query id');
    let lines = '';
    let previous = Number.POSITIVE_INFINITY;
    ranking.forEach(({ id, score }, index) => {
      checkWord(id, 'document id');
      // Readers order by score: a ranking in another order would not be read back as it is.
      if (!Number.isFinite(score) || score > previous) {
        throw usageError(
          `The ranking of query "${query}" cannot be written as a run: the score of "${id}" at rank ${index + 1} is ` +
            `${score}${score > previous ? `, above ${previous} before it` : ''}. Sort by finite scores, best first.`,
        );
      }
      previous = score;
      lines += `${query} Q0 ${id} ${index + 1} ${score} ${tag}\n`;
    });
    yield lines;
  }
}

/** The rankings of a run in its order. */
export function rankingsOf(run: RunSource): Iterable<QueryRanking> | AsyncIterable<QueryRanking> {
  return run instanceof Map
    ? Array.from(run as Run, ([query, ranking]) => ({ query, ranking }))
    : (run as Exclude<RunSource, Run>);
}

function checkWord(word: string, kind: string): void {
  if (word !== '' && !/\s/.test(word)) return;
  throw usageError(
    `The ${kind} ${JSON.stringify(word)} cannot be written into a run: it must be one word without white space.`,
  );
}
