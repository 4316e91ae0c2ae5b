import { writeRun, type Query, type QueryRanking, type Retriever } from '../../collection/index.js';
import { closing } from '../../common/closing.js';
import { inputError, throwIfAborted, usageError } from '../../common/errors.js';
import { printable } from '../../common/clip.js';
import { omitUndefined } from '../../common/omit-undefined.js';
import { writeOutput } from '../../common/output.js';
import { Snrm } from '../../controls/index.js';
import { openCollection, type CollectionAddress } from '../../remote/index.js';
import type { SearcherOptions } from '../../retrieval/index.js';
import {
  collectionAddress,
  queriesFrom,
  queryWords,
  retrievalModels,
  withWords,
} from '../collection-options.js';
import { defineCommand, type Io } from '../command.js';
import { counted, formatDuration } from '../format.js';
import { clusterOptions, OPTIONS, queryOptions, retrievalOptions } from '../option-table.js';
import { Progress } from '../progress.js';
import { pick, refuseUseless, text, without, type OptionValues } from '../options.js';

/** Queries without any document that are named; the last line counts all. */
const NAMED = 3;

interface FoundRanking extends QueryRanking {
  readonly text: string;
}

const searchOptions = {
  index: { ...OPTIONS.index, help: 'folder of the index' },
  ...clusterOptions,
  ...queryOptions,
  ...retrievalOptions,
  trained: text(
    'DIR',
    'SNRM: the model that bert-qe train --method snrm made, whose documents are searched instead of an index',
  ),
  depth: { ...OPTIONS.depth, help: 'documents per query' },
  out: text('FILE', 'TREC run (or JSON lines) to write; - is stdout', { default: '-' }),
  tag: { ...OPTIONS.tag, help: "name of the run, its last column (the models' names)" },
  json: { ...OPTIONS.json, help: 'write a JSON line per query instead of a TREC run' },
} as const;

export const searchCommand = defineCommand({
  name: 'search',
  summary: 'Rank the documents of an index for one query or a file of queries (DPH, BM25, QL; KL, Bo1, RM3).',
  positionals: [queryWords],
  options: searchOptions,
  examples: [
    'bert-qe search "vitamin D and bone density" --index scifact.index --depth 10 --json',
    'bert-qe search --index scifact.index --queries queries.jsonl --model dph --expand kl --out dph-kl.run',
    'bert-qe search --index scifact.index --queries queries.jsonl --model bm25 --expand rm3 --out bm25-rm3.run',
    'bert-qe search --trained snrm --queries queries.jsonl --feedback-documents 10 --out snrm-prf.run',
    'bert-qe search --engine opensearch --url http://localhost:9200 --index scifact --query "vitamin D"',
  ],
  async run({ options: given, positionals, io }) {
    const options = withWords(given, positionals);
    const { index, trained } = options;
    if (index === undefined && trained === undefined) {
      throw usageError('search needs --index DIR; make one with: bert-qe index');
    }
    const queries = await queriesFrom(options, io);
    const opening =
      trained === undefined
        ? openIndex(collectionAddress(index!, options), retrievalModels(options), io.signal)
        : openTrained(trained, options);
    await closing(opening, (searched) => search(searched, queries, options, io));
  },
});

type Values = OptionValues<typeof searchOptions>;

/** Ranks the documents for every query, and writes the rankings as they are found. */
async function search(searched: Searched, queries: readonly Query[], options: Values, io: Io): Promise<void> {
  const { retriever } = searched;
  const progress = new Progress(io, 'queries');
  let empty = 0;
  let lastReason = '';
  const rankings = async function* (): AsyncGenerator<FoundRanking> {
    for (const [done, query] of queries.entries()) {
      throwIfAborted(io.signal);
      const ranking = await retriever.search(query, { depth: options.depth, signal: io.signal });
      if (ranking.length === 0) {
        empty++;
        progress.done();
        lastReason = reasonOfEmptyRanking(query, searched.countTerms(query.text));
        if (queries.length > 1 && empty <= NAMED) io.stderr.write(`bert-qe: ${printable(lastReason)}\n`);
      }
      yield { query: query.id, text: query.text, ranking };
      progress.update(done + 1, (done + 1) / queries.length);
    }
  };
  const tag = options.tag ?? searched.name;
  if (options.json) await writeOutput(options.out, jsonLines(rankings()), io.stdout);
  else await writeRun(options.out, rankings(), { tag, stdout: io.stdout });
  progress.done();
  // Some queries may find nothing; where none finds anything, the input is at fault.
  if (empty === queries.length) throw inputError(lastReason);
  io.stderr.write(
    `${tag}: ${counted(queries.length, 'query')} in ` +
      `${formatDuration(progress.seconds)}${empty > 0 ? `, ${empty} without any document` : ''}\n`,
  );
}

/** The documents that are searched. */
interface Searched {
  /** The names of the models. */
  readonly name: string;
  readonly retriever: Retriever;
  countTerms(text: string): number;
  close(): Promise<void>;
}

async function openIndex(
  address: CollectionAddress,
  models: SearcherOptions,
  signal: AbortSignal,
): Promise<Searched> {
  const collection = await openCollection(address, signal);
  const retriever = collection.retriever(models);
  return { ...collection, name: retriever.name, retriever };
}

/** The documents that an SNRM model was trained on; options of feedback ask for it. */
async function openTrained(model: string, options: Values): Promise<Searched> {
  const own = pick(retrievalOptions, 'feedback-documents', 'feedback-terms', 'rocchio-beta');
  const others = { index: OPTIONS.index, ...clusterOptions, ...without(retrievalOptions, own) };
  refuseUseless(others, options, 'with --trained; leave it out.');
  const { feedbackDocuments: documents, feedbackTerms: terms, rocchioBeta: weight } = options;
  const feedback = omitUndefined({ documents, terms, weight });
  const isExpanded = Object.keys(feedback).length > 0;
  const snrm = await Snrm.load({ model, ...(isExpanded && { feedback }) });
  return {
    name: isExpanded ? 'SNRM+PRF' : 'SNRM',
    retriever: snrm,
    countTerms: (words) => snrm.countTerms(words),
    close: () => snrm.close(),
  };
}

/** The reason why a query has an empty ranking. */
function reasonOfEmptyRanking(query: Query, terms: number): string {
  const reason =
    terms === 0
      ? 'it has only stop words or signs; add a word that says what is wanted'
      : 'none of its words is in the index; try others';
  return `Query ${query.id} ("${query.text}") finds nothing: ${reason}.`;
}

async function* jsonLines(rankings: AsyncIterable<FoundRanking>): AsyncGenerator<string> {
  for await (const { query, text, ranking } of rankings) {
    const results = ranking.map(({ id, score }, i) => ({ id, score, rank: i + 1 }));
    yield `${JSON.stringify({ query: text, id: query, results })}\n`;
  }
}
