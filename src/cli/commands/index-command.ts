import { elementChoices, readDocuments } from '../../collection/index.js';
import { standardStream } from '../../common/output.js';
import { buildIndex, createAnalyzer, readStopwords, type Analyzer } from '../../retrieval/index.js';
import { defineCommand, type Io } from '../command.js';
import { clusterFrom, documentReading } from '../collection-options.js';
import { formatCount, formatDuration, writeJson } from '../format.js';
import { documentOptions, OPTIONS, pick } from '../option-table.js';
import { usageError, type OptionValues } from '../options.js';
import { Progress } from '../progress.js';

const options = {
  out: {
    type: 'string',
    value: 'DIR',
    help: 'folder of the index; an index already there is replaced when done',
  },
  ...documentOptions,
  elements: {
    type: 'string',
    choices: elementChoices,
    default: 'text',
    help: 'TREC SGML: what is searched: title and text, or what Terrier or Anserini read of a document',
  },
  'leave-out': {
    type: 'string',
    value: 'BEGINNING',
    multiple: true,
    help: 'leave out documents whose id begins so, such as CR, the Congressional Record',
  },
  analyzer: {
    type: 'string',
    choices: ['anserini', 'terrier', 'plain'],
    default: 'anserini',
    help: 'how text becomes terms',
  },
  stopwords: {
    type: 'string',
    value: 'FILE|none',
    help: "your own stop words, one a line, instead of the analyzer's",
  },
  ...pick('engine', 'url'),
  index: {
    ...OPTIONS.index,
    value: 'NAME',
    help: 'cluster: the index to create; an interrupted load goes on',
  },
  shards: { type: 'integer', min: 1, help: 'cluster: parts that the index is cut into (1)' },
  replicas: { type: 'integer', min: 0, help: 'cluster: copies of each part when it is loaded (0)' },
  native: {
    type: 'string',
    choices: ['all', 'bm25', 'ql', 'none'],
    help: "cluster: fields for Lucene's own models, --length-norm lucene (all)",
  },
  'no-scripts': {
    type: 'boolean',
    help: "cluster: make an index for a server that runs no scripts, with Lucene's own models only",
  },
  json: { ...OPTIONS.json, help: 'write the counts as JSON to stdout' },
} as const;

type Values = OptionValues<typeof options>;

export const indexCommand = defineCommand({
  name: 'index',
  summary:
    'Build a search index from Markdown, HTML, text, CSV, JSONL, TSV, SQLite, Postgres, BEIR or TREC (.gz, - for stdin).',
  positionals: [
    { name: 'PATH', help: 'the collection: a file, a folder, postgres://HOST/DATABASE, or - for stdin' },
  ],
  options,
  examples: [
    'bert-qe index notes/ --out notes.index',
    'bert-qe index products.csv --id-field sku --text-field description,materials --out products.index',
    'bert-qe index shop.sqlite --table reviews --out reviews.index',
    'bert-qe index postgres://localhost/shop --sql "select id, name, body from articles" --out articles.index',
    'bert-qe index collections/scifact --out scifact.index',
    'bert-qe index robust04/ --format trec --analyzer terrier --elements terrier --leave-out CR --out robust04.index',
    'bert-qe index gov2/ --format trecweb --engine opensearch --url http://localhost:9200 --index gov2 --shards 8',
  ],
  async run({ options, positionals: [path], io }) {
    const analyzer = createAnalyzer({
      base: options.analyzer,
      ...(options.stopwords === undefined
        ? {}
        : {
            stopwords:
              options.stopwords === 'none' ? ('none' as const) : await readStopwords(options.stopwords),
          }),
    });
    if (options.engine !== undefined) return loadIntoCluster(path, options, analyzer, io);
    for (const name of ['index', 'shards', 'replicas', 'native', 'no-scripts'] as const) {
      if (options[name] === undefined || options[name] === false) continue;
      throw usageError(`--${name} has no effect without --engine; give --out DIR.`);
    }
    clusterFrom({ engine: options.engine, url: options.url });
    if (options.out === undefined) throw usageError('index needs --out DIR, the folder of the index.');
    const progress = new Progress(io, 'documents');
    let share: number | undefined;
    const documents = readDocuments(path, {
      ...documentReading(options, io),
      elements: options.elements,
      leaveOut: options['leave-out'],
      onProgress: (read, total) => {
        share = total === undefined ? undefined : (0.9 * read) / total;
      },
    });
    const manifest = await buildIndex(documents, {
      folder: options.out,
      analyzer,
      signal: io.signal,
      onProgress: ({ step, done, total }) => {
        if (step === 'documents') progress.update(done, share);
        else progress.update(done, 0.9 + (0.1 * done) / (total ?? done), 'merging terms');
      },
    }).finally(() => progress.done());
    const { statistics } = manifest;
    io.stderr.write(
      `Indexed ${formatCount(statistics.documents)} documents, ${formatCount(statistics.terms)} terms, ` +
        `${formatCount(statistics.tokens)} tokens in ${formatDuration(progress.seconds)} ` +
        `(${formatCount(statistics.documents / progress.seconds)} documents/s) into ${options.out}\n`,
    );
    if (options.json) {
      const { documents, terms, tokens } = statistics;
      writeJson(io, { index: options.out, documents, terms, tokens, seconds: progress.seconds });
    }
  },
});

async function loadIntoCluster(path: string, options: Values, analyzer: Analyzer, io: Io): Promise<void> {
  const { index, native = 'all', shards, replicas } = options;
  if (index === undefined)
    throw usageError(`--engine ${options.engine} needs --index NAME, the index to create.`);
  if (options['no-scripts'] && native === 'none')
    throw usageError('--no-scripts and --native none leave nothing to search by.');
  if (options.out !== undefined) throw usageError('--out has no effect with --engine.');
  if (options.elements !== 'text') throw usageError('--elements has no effect with --engine.');
  if (path === standardStream)
    throw usageError('A load that can go on needs a collection that can be read again: no stdin.');
  const { EngineConnection, loadEngineIndex, usualSimilarities } = await import('../../remote/index.js');
  const connection = await EngineConnection.open(clusterFrom({ engine: options.engine, url: options.url })!, {
    signal: io.signal,
  });
  const progress = new Progress(io, 'documents');
  let share: number | undefined;
  const documents = () =>
    readDocuments(path, {
      ...documentReading(options, io),
      leaveOut: options['leave-out'],
      onProgress: (read, total) => {
        share = total === undefined ? undefined : read / total;
      },
    });
  try {
    const { statistics, resumedAt } = await loadEngineIndex(documents, {
      connection,
      index,
      analyzer: analyzer.spec,
      native: {
        ...(native === 'all' || native === 'bm25' ? { bm25: usualSimilarities.bm25 } : {}),
        ...(native === 'all' || native === 'ql' ? { ql: usualSimilarities.ql } : {}),
      },
      scripts: !options['no-scripts'],
      shards,
      replicas,
      signal: io.signal,
      onProgress: (done) => progress.update(done, share),
    }).finally(() => progress.done());
    const loaded = statistics.documents - resumedAt;
    io.stderr.write(
      `Loaded ${formatCount(statistics.documents)} documents, ${formatCount(statistics.tokens)} tokens in ` +
        `${formatDuration(progress.seconds)} (${formatCount(loaded / progress.seconds)} documents/s` +
        `${resumedAt > 0 ? `, going on after ${formatCount(resumedAt)}` : ''}) into ${index} on ` +
        `${connection.address}\n`,
    );
    if (options.json) {
      const { documents, tokens } = statistics;
      writeJson(io, { index, cluster: connection.address, documents, tokens, seconds: progress.seconds });
    }
  } finally {
    await connection.close();
  }
}
