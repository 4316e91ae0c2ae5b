import { writeRun, type Query, type Ranking } from '../../collection/index.js';
import { BertQeError, throwIfAborted } from '../../common/errors.js';
import { writeOutput } from '../../common/output.js';
import { defineCommand } from '../command.js';
import { engineOptions } from '../engine-options.js';
import { formatDuration, formatCount, Progress } from '../progress.js';
import { queriesFrom } from '../queries.js';
import { retrievalOptions } from '../retrieval-options.js';
import { openCollection } from '../searched-collection.js';

export const searchCommand = defineCommand({
  name: 'search',
  summary: 'Rank the documents of an index for one query or a file of queries (DPH, BM25, QL; KL, Bo1, RM3).',
  options: {
    index: { type: 'string', value: 'DIR', help: 'folder of the index' },
    ...engineOptions,
    query: { type: 'string', value: 'TEXT', help: 'one query' },
    queries: {
      type: 'string',
      value: 'FILE',
      help: 'queries: BEIR JSONL, TSV, TREC topics, or queries.json lines',
    },
    ...retrievalOptions,
    depth: { type: 'integer', min: 1, default: 1000, help: 'documents per query' },
    out: {
      type: 'string',
      value: 'FILE',
      default: '-',
      help: 'TREC run (or JSON lines) to write; - is stdout',
    },
    tag: { type: 'string', value: 'NAME', help: "name of the run, its last column (the models' names)" },
    json: { type: 'boolean', help: 'write a JSON line per query instead of a TREC run' },
  },
  examples: [
    'bert-qe search --index scifact.index --query "vitamin D and bone density" --depth 10 --json',
    'bert-qe search --index scifact.index --queries queries.jsonl --model dph --expand kl --out dph-kl.run',
    'bert-qe search --index scifact.index --queries queries.jsonl --model bm25 --expand rm3 --out bm25-rm3.run',
    'bert-qe search --engine opensearch --url http://localhost:9200 --index scifact --query "vitamin D"',
  ],
  async run({ options, io }) {
    const { index } = options;
    if (index === undefined)
      throw new BertQeError('usage', 'search needs --index DIR; make one with: bert-qe index');
    const queries = await queriesFrom(options.query, options.queries);
    const collection = await openCollection({ ...options, index }, io.signal);
    try {
      const searcher = collection.retriever(options);
      const progress = new Progress(io, 'queries');
      let empty = 0;
      let lastReason = '';
      const rankings = async function* (): AsyncGenerator<{ query: Query; ranking: Ranking }> {
        for (const [done, query] of queries.entries()) {
          throwIfAborted(io.signal);
          const ranking = await searcher.search(query, { depth: options.depth, signal: io.signal });
          if (ranking.length === 0) {
            empty++;
            progress.done();
            lastReason = collection.whyNothing(query);
            if (queries.length > 1) io.stderr.write(`bert-qe: ${lastReason}\n`);
          }
          yield { query, ranking };
          progress.update(done + 1, (done + 1) / queries.length);
        }
      };
      const tag = options.tag ?? searcher.name;
      if (options.json) await writeOutput(options.out, jsonLines(rankings()), io.stdout);
      else await writeRun(options.out, byId(rankings()), { tag, stdout: io.stdout });
      progress.done();
      // One query without a result may be chance; when none has any, the input is at fault.
      if (empty === queries.length) throw new BertQeError('input', lastReason);
      io.stderr.write(
        `${tag}: ${formatCount(queries.length)} ${queries.length === 1 ? 'query' : 'queries'} in ` +
          `${formatDuration(progress.seconds)}${empty > 0 ? `, ${empty} without any document` : ''}\n`,
      );
    } finally {
      await collection.close();
    }
  },
});

async function* jsonLines(
  rankings: AsyncIterable<{ query: Query; ranking: Ranking }>,
): AsyncGenerator<string> {
  for await (const { query, ranking } of rankings) {
    const results = ranking.map(({ id, score }, i) => ({ id, score, rank: i + 1 }));
    yield `${JSON.stringify({ query: query.text, id: query.id, results })}\n`;
  }
}

async function* byId(rankings: AsyncIterable<{ query: Query; ranking: Ranking }>) {
  for await (const { query, ranking } of rankings) yield { query: query.id, ranking };
}
