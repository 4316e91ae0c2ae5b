// npm run bench:retrieval -- [--sizes 50000,200000,500000] [--work DIR] [--systems bert-qe,lucene,terrier,minisearch]
//
// Indexing rate, size, memory and query latency of bert-qe beside Lucene (Anserini's jar), Terrier and MiniSearch, all in
// one run, each system alone on the machine, on NPL (where BERT_QE_COLLECTIONS has it) and on generated collections. Writes
// bench/results/retrieval.json and the tables of docs/benchmarks.md.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readQueries } from '../../src/collection/index.js';
import { collectionsFolder } from '../collections.js';
import { generateCollection, generateQueries } from './generate.js';
import type { Measurement } from './measure.js';
import { renderRetrieval, type RetrievalResults } from './report.js';

const root = resolve(import.meta.dirname, '../..');
const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '50000,200000,500000' },
    work: { type: 'string', default: '/tmp/bert-qe-bench' },
    systems: { type: 'string', default: 'bert-qe,lucene,terrier,minisearch' },
  },
});
const work = resolve(values.work);
const systems = values.systems.split(',');
/** MiniSearch keeps everything in memory as JavaScript objects; past this it does not fit the machine. */
const MINISEARCH_LIMIT = 50_000;
mkdirSync(work, { recursive: true });

interface Collection {
  readonly name: string;
  readonly corpus: string;
  readonly queries: string;
  readonly documents: number;
}

async function collections(): Promise<Collection[]> {
  const found: Collection[] = [];
  const npl = join(collectionsFolder() ?? '', 'npl');
  if (existsSync(npl)) {
    const queries = join(work, 'npl.tsv');
    const lines = (await readQueries(join(npl, 'queries.jsonl'))).map(({ id, text }) => `${id}\t${text}\n`);
    writeFileSync(queries, lines.join(''));
    found.push({ name: 'npl', corpus: join(npl, 'corpus.jsonl'), queries, documents: 11_429 });
  }
  const queries = join(work, 'zipf.tsv');
  await generateQueries(queries, 300);
  for (const documents of values.sizes.split(',').filter(Boolean).map(Number)) {
    const corpus = join(work, `zipf-${documents}.jsonl`);
    if (!existsSync(corpus)) await generateCollection(corpus, documents);
    found.push({ name: `zipf-${documents}`, corpus, queries, documents });
  }
  return found;
}

/** Runs one program and collects the JSON lines it prints. */
function measure(command: string, args: string[]): Measurement[] {
  process.stderr.write(`> ${command} ${args.join(' ')}\n`);
  const { stdout, status } = spawnSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 1 << 26,
  });
  if (status !== 0) process.stderr.write(`  failed with status ${status}\n`);
  process.stderr.write(stdout);
  return stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Measurement);
}

function tsx(script: string, ...args: string[]): Measurement[] {
  return measure(process.execPath, ['--import', 'tsx', `bench/retrieval/${script}`, ...args]);
}

const results: RetrievalResults = {
  node: process.version,
  date: new Date().toISOString().slice(0, 10),
  rows: [],
};

/** Adds measurements and writes everything anew: a run of an hour may be cut short. */
function record(collection: string, rows: readonly Measurement[]): void {
  results.rows.push(...rows.map((row) => ({ collection, ...row })));
  mkdirSync(join(root, 'bench/results'), { recursive: true });
  writeFileSync(join(root, 'bench/results/retrieval.json'), `${JSON.stringify(results, null, 2)}\n`);
  const page = join(root, 'docs/benchmarks.md');
  const marker = '<!-- retrieval -->';
  const [before] = (existsSync(page) ? readFileSync(page, 'utf8') : `# Benchmarks\n\n${marker}`).split(
    marker,
  );
  writeFileSync(page, `${before}${marker}\n${renderRetrieval(results)}`);
}

const all = await collections();
for (const { name, corpus, queries } of all) {
  const out = join(work, name);
  mkdirSync(out, { recursive: true });
  if (systems.includes('bert-qe')) {
    record(name, tsx('ours.ts', 'index', corpus, queries, out));
    record(name, tsx('ours.ts', 'search', corpus, queries, out));
  }
  if (systems.includes('lucene')) record(name, peer('lucene', corpus, queries, out));
}
// The slower ones last: a run that is cut short then still has the comparison that matters most.
for (const { name, corpus, queries, documents } of all) {
  if (systems.includes('minisearch') && documents <= MINISEARCH_LIMIT) {
    record(name, tsx('minisearch.ts', corpus, queries));
  }
  if (systems.includes('terrier')) record(name, peer('terrier', corpus, queries, join(work, name)));
}

function peer(system: string, corpus: string, queries: string, out: string): Measurement[] {
  return measure('bash', ['bench/retrieval/peers/run.sh', system, corpus, queries, out]);
}
