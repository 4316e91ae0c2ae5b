import { usageError } from '../../common/errors.js';
import { elementChoices, readDocuments } from '../../collection/index.js';
import { standardStream } from '../../common/output.js';
import { buildIndex, createAnalyzer, readStopwords, type Analyzer } from '../../retrieval/index.js';
import { defineCommand, type Io } from '../command.js';
import { clusterFrom, documentReading } from '../collection-options.js';
import { formatCount, formatDuration, writeJson } from '../format.js';
import { clusterOptions, documentOptions, OPTIONS } from '../option-table.js';
import { choice, flag, integer, pick, refuseUseless, text, type OptionValues } from '../options.js';
import { Progress } from '../progress.js';

const specs = {
  out: text('DIR', 'folder of the index; an index already there is replaced when done'),
  ...documentOptions,
  elements: choice(
    elementChoices,
    'TREC SGML: what is searched: title and text, or what Terrier or Anserini read of a document',
    { default: 'text' },
  ),
  'leave-out': text(
    'BEGINNING',
    'leave out documents whose id begins so, such as CR, the Congressional Record',
    { multiple: true },
  ),
  analyzer: choice(['anserini', 'terrier', 'plain'], 'how text becomes terms', { default: 'anserini' }),
  stopwords: text('FILE|none', "your own stop words, one a line, instead of the analyzer's"),
  ...pick(clusterOptions, 'engine', 'url'),
  index: {
    ...OPTIONS.index,
    value: 'NAME',
    help: 'cluster: the index to create; an interrupted load goes on',
  },
  shards: integer('cluster: parts that the index is cut into (1)', { min: 1 }),
  replicas: integer('cluster: copies of each part when it is loaded (0)', { min: 0 }),
  native: choice(
    ['all', 'bm25', 'ql', 'none'],
    "cluster: fields for Lucene's own models, --length-norm lucene (all)",
  ),
  'no-scripts': flag(
    "cluster: make an index for a server that runs no scripts, with Lucene's own models only",
  ),
  json: { ...OPTIONS.json, help: 'write the counts as JSON to stdout' },
} as const;

type Values = OptionValues<typeof specs>;

export const indexCommand = defineCommand({
  name: 'index',
  summary:
    'Build a search index from Markdown, HTML, text, CSV, JSONL, TSV, SQLite, Postgres, BEIR or TREC (.gz, - for stdin).',
  positionals: [
    { name: 'PATH', help: 'the collection: a file, a folder, postgres://HOST/DATABASE, or - for stdin' },
  ],
  options: specs,
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
    const { stopwords: file } = options;
    const stopwords = file === undefined || file === 'none' ? file : await readStopwords(file);
    const analyzer = createAnalyzer({ base: options.analyzer, ...(stopwords && { stopwords }) });
    if (options.engine !== undefined) return loadIntoCluster(path, options, analyzer, io);
    const loading = pick(specs, 'index', 'shards', 'replicas', 'native', 'no-scripts');
    refuseUseless(loading, options, 'without --engine; give --out DIR.');
    clusterFrom(options);
    if (options.out === undefined) throw usageError('index needs --out DIR, the folder of the index.');
    const progress = new Progress(io, 'documents');
    const { documents, share } = reading(path, options, io);
    const manifest = await buildIndex(documents(), {
      folder: options.out,
      analyzer,
      signal: io.signal,
      onProgress: ({ step, done, total }) => {
        if (step === 'documents') progress.update(done, share(0.9));
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

/** The documents, and the share of them that has been read, where their size is known. */
function reading(path: string, options: Values, io: Io) {
  let read: number | undefined;
  const documents = () =>
    readDocuments(path, {
      ...documentReading(options, io),
      elements: options.elements,
      leaveOut: options.leaveOut,
      onProgress: (done, total) => (read = total === undefined ? undefined : done / total),
    });
  return { documents, share: (ofWhole = 1) => read && ofWhole * read };
}

async function loadIntoCluster(path: string, options: Values, analyzer: Analyzer, io: Io): Promise<void> {
  const { index, native = 'all', shards, replicas } = options;
  if (index === undefined) {
    throw usageError(`--engine ${options.engine} needs --index NAME, the index to create.`);
  }
  if (options.noScripts && native === 'none') {
    throw usageError('--no-scripts and --native none leave nothing to search by.');
  }
  refuseUseless(pick(specs, 'out', 'elements'), options, 'with --engine.');
  if (path === standardStream) {
    throw usageError('A load that can go on needs a collection that can be read again: no stdin.');
  }
  const { EngineConnection, loadEngineIndex, usualSimilarities } = await import('../../remote/index.js');
  const connection = await EngineConnection.open(clusterFrom(options)!, { signal: io.signal });
  const progress = new Progress(io, 'documents');
  const { documents, share } = reading(path, options, io);
  try {
    const { statistics, resumedAt } = await loadEngineIndex(documents, {
      connection,
      index,
      analyzer: analyzer.spec,
      native: {
        ...(native === 'all' || native === 'bm25' ? { bm25: usualSimilarities.bm25 } : {}),
        ...(native === 'all' || native === 'ql' ? { ql: usualSimilarities.ql } : {}),
      },
      scripts: !options.noScripts,
      shards,
      replicas,
      signal: io.signal,
      onProgress: (done) => progress.update(done, share()),
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
