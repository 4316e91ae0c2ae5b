import { usageError } from '../common/errors.js';
import { writeOutput } from '../common/output.js';
import type { QueryRanking } from './runs.js';
import type { Run } from './types.js';

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
