import { readDocuments } from '../../collection/index.js';
import { buildIndex, createAnalyzer, readStopwords } from '../../retrieval/index.js';
import { defineCommand } from '../command.js';
import { formatCount, formatDuration, Progress } from '../progress.js';
import { BertQeError } from '../../errors.js';

export const indexCommand = defineCommand({
  name: 'index',
  summary:
    'Build a search index from a collection (BEIR, JSONL, TSV, TREC SGML, TREC web; .gz and - for stdin).',
  positionals: [{ name: 'PATH', help: 'the collection: a file, a folder, or - for stdin' }],
  options: {
    out: {
      type: 'string',
      value: 'DIR',
      help: 'folder of the index; an index already there is replaced when done',
    },
    format: {
      type: 'string',
      choices: ['auto', 'beir', 'jsonl', 'tsv', 'trec', 'trecweb'],
      default: 'auto',
      help: 'format of the collection',
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
  },
  examples: [
    'bert-qe index collections/scifact --out scifact.index',
    'bert-qe index robust04/ --format trec --analyzer terrier --out robust04.index',
  ],
  async run({ options, positionals: [path], io }) {
    if (options.out === undefined)
      throw new BertQeError('usage', 'index needs --out DIR, the folder of the index.');
    const analyzer = createAnalyzer({
      base: options.analyzer,
      ...(options.stopwords === undefined
        ? {}
        : {
            stopwords:
              options.stopwords === 'none' ? ('none' as const) : await readStopwords(options.stopwords),
          }),
    });
    const progress = new Progress(io, 'documents');
    let share: number | undefined;
    const documents = readDocuments(path, {
      format: options.format,
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
  },
});
