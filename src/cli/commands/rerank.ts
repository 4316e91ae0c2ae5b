import { usageError } from '../../common/errors.js';
import { omitUndefined } from '../../common/omit-undefined.js';
import { DEFAULTS } from '../../expansion/index.js';
import { standardStream } from '../../common/output.js';
import {
  fleetReranker,
  rerankRun,
  rerankToFile,
  type FinishedQuery,
  type RunReranker,
  type RunTotals,
} from '../../runs/index.js';
import { defineCommand, hasColours, type Io } from '../command.js';
import { type AnyExplanation, renderExplanation } from '../explanation-text.js';
import { type ChosenMethod, chosenMethod, otherMethodOptions } from '../methods.js';
import { methodOptions, modelOptions, OPTIONS } from '../option-table.js';
import { integer, type OptionValues, text } from '../options.js';
import { queryWords, withWords } from '../collection-options.js';
import { counted, formatCount, formatDuration, writeJson } from '../format.js';
import { Progress } from '../progress.js';
import { openRun, sourceOptions, type OpenedRun } from '../run-source.js';

/** The default depth where someone waits for the results of one query: a tenth of the work. */
const SHOWN_DEPTH = 100;

const options = {
  ...sourceOptions,
  ...modelOptions,
  ...methodOptions,
  ...otherMethodOptions,
  depth: integer(
    `documents that are re-ranked; the rest keep their order (${DEFAULTS.depth}; ${SHOWN_DEPTH} where the results of one query are shown)`,
    { min: 1 },
  ),
  'top-k': integer('only the first places: exact, and what cannot change them is not computed', { min: 1 }),
  explain: text('FILE', 'a JSON line per query: chunks, weights, every score, ranks, cost'),
  fleet: text(
    'REDIS',
    'spread the queries over the workers (bert-qe fleet work) that meet at redis://HOST:PORT',
  ),
  out: text('RUN', 'TREC run to write; resumed when it is interrupted (stdout)'),
  tag: OPTIONS.tag,
  json: {
    ...OPTIONS.json,
    help: 'write a JSON line per query: ids, scores, ranks and best passages (Birch: sentences) of its results',
  },
} as const;

type Values = OptionValues<typeof options> & { readonly depth: number };

/** The options with the words of the query and the depth. */
function completed(given: OptionValues<typeof options>, words: readonly string[]): Values {
  const all = withWords(given, words);
  const isShown = all.query !== undefined && all.out === undefined;
  return { ...all, depth: all.depth ?? (isShown ? SHOWN_DEPTH : DEFAULTS.depth) };
}

export const rerankCommand = defineCommand({
  name: 'rerank',
  summary:
    'Re-rank with BERT-QE: retrieve or read rankings, run the three phases, write a run or explain a query.',
  positionals: [queryWords],
  options,
  examples: [
    'bert-qe rerank "vitamin D and bone density" --index scifact.index --top-k 10',
    'bert-qe rerank "why do bridges sway" --documents notes/ --models TTT --top-k 5 --json',
    'bert-qe rerank --index scifact.index --queries queries.jsonl --run dph-kl.run --explain why.jsonl --out qe.run',
    'bert-qe rerank --index scifact.index --queries queries.jsonl --method birch --out birch.run',
    'bert-qe rerank --index scifact.index --queries queries.jsonl --method cedr-knrm --trained cedr --out cedr.run',
    'bert-qe rerank --engine opensearch --url http://localhost:9200 --index scifact --query "vitamin D" --top-k 10',
  ],
  async run({ options: given, positionals, io }) {
    const options = completed(given, positionals);
    const { fleet, json, topK } = options;
    const { out, explanations, isShown } = outputsOf(options);
    const method = await chosenMethod(options);
    const { name, config } = method;
    if (fleet !== undefined && config === undefined) {
      throw usageError('--fleet re-ranks with BERT-QE; leave --fleet out, or --method.');
    }
    const source = await openRun(options, options.depth, io);
    const progress = new Progress(io, 'queries');
    const show = (query: FinishedQuery): void => {
      if (json) writeJson(io, resultsOf(query));
      else io.stdout.write(readable(query, topK, io));
    };
    try {
      const inputs = { ...method.inputs, '--top-k': String(topK) };
      const limit = omitUndefined({ topK });
      const reranker =
        fleet === undefined || config === undefined
          ? lazyReranker(method, source, { ...limit, ...(isShown && { explain: true }) })
          : await fleetReranker(fleet, source.collection, config, limit);
      const totals = await rerankToFile({
        // The same inputs here and on a fleet: a run may be begun on one and continued on the other.
        reranker: { ...reranker, inputs },
        rankings: source,
        ...omitUndefined({ out, explanations }),
        tag: options.tag ?? name,
        stdout: io.stdout,
        signal: io.signal,
        onResume: (finished, journal) =>
          io.stderr.write(`Going on after ${counted(finished, 'finished query')} (${journal}).\n`),
        onProgress: ({ finished, share, phase }) =>
          progress.update(finished, share, phase && phaseNames[phase]),
        ...(isShown && { onReranked: show }),
      }).finally(() => progress.done());
      if (totals.queries > 0) io.stderr.write(summary(name, totals));
    } catch (error) {
      if (io.signal.aborted && out !== undefined && out !== standardStream) {
        io.stderr.write(`Finished queries are kept beside ${out}; the same command goes on after them.\n`);
      }
      throw error;
    } finally {
      await source.close();
    }
  },
});

/** The files of the results; without any, results are shown. Outputs that exclude each other are refused. */
function outputsOf({ out: file, explain: explanations, query, json, fleet, index }: Values) {
  if (json && (file ?? explanations) !== undefined) {
    throw usageError(
      '--json writes to standard output, instead of --out and --explain; leave these or --json out.',
    );
  }
  // A single query without --out is shown to be read.
  const out = file ?? (query === undefined && !json ? standardStream : undefined);
  const isShown = out === undefined && explanations !== standardStream;
  if (out === standardStream && explanations === standardStream) {
    throw usageError('--out and --explain cannot both go to standard output; name a file for one.');
  }
  if (fleet !== undefined && isShown) {
    throw usageError('--fleet is for runs: give --out RUN, or leave it out to look at one query.');
  }
  if (fleet !== undefined && index === undefined) {
    throw usageError('--fleet needs --index: workers must reach the documents too.');
  }
  return { out, explanations, isShown };
}

/** Re-ranks in this process. The models are loaded when the first query is there. */
function lazyReranker(
  method: ChosenMethod,
  { collection }: OpenedRun,
  always: { topK?: number; explain?: true },
): Omit<RunReranker, 'inputs'> {
  return {
    async *rerank(queries, rankings, options) {
      const { reranker, close } = await method.open(options.signal);
      try {
        yield* rerankRun(reranker, queries, rankings, collection.documents, { ...options, ...always });
      } finally {
        await close();
      }
    },
  };
}

const phaseNames = {
  bestPassage: 'best passages',
  phaseOne: 'phase one',
  phaseTwo: 'phase two',
  phaseThree: 'phase three',
} as const;

/** One line with the number of queries, the time and the cost. */
function summary(name: string, totals: RunTotals): string {
  const { queries, pairs, exhaustivePairs, flops, resumed, empty, seconds } = totals;
  const share = Math.round((100 * pairs) / exhaustivePairs);
  const parts = [
    `${name}: ${counted(queries, 'query')} in ${formatDuration(seconds)}`,
    `${formatCount(pairs)} pairs${pairs < exhaustivePairs ? ` (${share}% of ${formatCount(exhaustivePairs)})` : ''}`,
  ];
  if (flops > 0) parts.push(`${(flops / queries / 1e12).toPrecision(3)} TFLOPs a query`);
  if (resumed > 0) parts.push(`${formatCount(resumed)} finished before`);
  if (empty > 0) parts.push(`${formatCount(empty)} without any document`);
  return `${parts.join(' · ')}\n`;
}

/** The results of a query as `--json` writes them. Documents below the depth have no scores of their own. */
function resultsOf({ query, ranking, explanation }: FinishedQuery) {
  const { documents } = explanation as AnyExplanation;
  const explained = new Map<string, (typeof documents)[number]>(
    documents.map((document) => [document.id, document]),
  );
  const results = ranking.map(({ id, score }, i) => {
    const document = explained.get(id);
    const place = { id, score, rank: i + 1 };
    if (!document) return place;
    const initialRank = document.ranks.initial;
    if ('sentences' in document) return { ...place, initialRank, sentences: document.sentences };
    return 'passage' in document
      ? { ...place, relevance: document.combined, initialRank, passage: document.passage }
      : { ...place, initialRank };
  });
  return { query: query.text, id: query.id, results };
}

function readable({ explanation }: FinishedQuery, topK: number | undefined, io: Io): string {
  return renderExplanation(explanation as AnyExplanation, {
    width: (io.stdout as { columns?: number }).columns ?? 100,
    colour: hasColours(io.stdout),
    limit: topK ?? 10,
  });
}
