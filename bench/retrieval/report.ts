import type { Measurement } from './measure.js';

export interface RetrievalResults {
  readonly node: string;
  readonly date: string;
  readonly rows: ({ readonly collection: string } & Measurement)[];
}

const MODELS = ['bm25', 'bm25+rm3', 'ql', 'dph', 'dph+kl'];

/** The tables of docs/benchmarks.md, ratios against Lucene where it ran the same model, else against Terrier. */
export function renderRetrieval({ node, date, rows }: RetrievalResults): string {
  const collections = [...new Set(rows.map((row) => row.collection))];
  const systems = [...new Set(rows.map((row) => row.system))];
  const lines = [
    '## Retrieval',
    '',
    `\`npm run bench:retrieval\` (${date}, Node ${node}, 2 cores, one thread each) measures one system after the other. ` +
      'Collections are NPL and generated ones of 306 words a document with Zipf-Mandelbrot frequencies. A query returns 1000 ' +
      'documents. Peak memory is the resident set, mapped index pages included. Compare ratios, not times.',
    '',
    '### Indexing, one thread',
    '',
    '| collection | system | documents/s | of Lucene | index MB | peak MB |',
    '|---|---|---|---|---|---|',
  ];
  for (const collection of collections) {
    const indexing = rows.filter((row) => row.collection === collection && row.step === 'index');
    const lucene = indexing.find((row) => row.system === 'lucene');
    for (const row of indexing) {
      lines.push(
        `| ${collection} | ${row.system} | ${number(row.documentsPerSecond)} | ` +
          `${ratio(row.documentsPerSecond, lucene?.documentsPerSecond)} | ${megabytes(row.indexBytes)} | ${megabytes(row.peakRssBytes)} |`,
      );
    }
  }
  lines.push(
    '',
    '### Query latency, p50 / p99 ms',
    '',
    `| collection | system | ${[...MODELS, 'other'].join(' | ')} |`,
    `|---|---|${'---|'.repeat(MODELS.length + 1)}`,
  );
  for (const collection of collections) {
    for (const system of systems) {
      const searches = rows.filter(
        (r) => r.collection === collection && r.system === system && r.step === 'search',
      );
      if (searches.length === 0) continue;
      const cell = (row: Measurement | undefined) =>
        row ? `${fixed(row.p50Ms)} / ${fixed(row.p99Ms)}` : '–';
      const other = searches.find((row) => !MODELS.includes(row.model ?? ''));
      const cells = MODELS.map((model) => cell(searches.find((row) => row.model === model)));
      lines.push(
        `| ${[collection, system, ...cells, other ? `${other.model}: ${cell(other)}` : '–'].join(' | ')} |`,
      );
    }
  }
  lines.push('', 'Ratio of our mean latency to the peer that has the model (below 1 is faster):', '');
  lines.push(`| collection | ${MODELS.join(' | ')} |`, `|---|${'---|'.repeat(MODELS.length)}`);
  for (const collection of collections) {
    const cells = MODELS.map((model) => {
      const of = (system: string) =>
        rows.find((r) => r.collection === collection && r.model === model && r.system === system)?.meanMs;
      const peer = of('lucene') ?? of('terrier');
      return ratio(of('bert-qe'), peer);
    });
    lines.push(`| ${[collection, ...cells].join(' | ')} |`);
  }
  return `${lines.join('\n')}\n`;
}

function ratio(ours: number | undefined, theirs: number | undefined): string {
  return ours === undefined || theirs === undefined ? '–' : (ours / theirs).toFixed(2);
}

function number(value: number | undefined): string {
  return value === undefined ? '–' : Math.round(value).toLocaleString('en-US');
}

function megabytes(bytes: number | undefined): string {
  return bytes === undefined ? '–' : number(bytes / 2 ** 20);
}

function fixed(ms: number | undefined): string {
  return ms === undefined ? '–' : ms.toFixed(ms < 10 ? 2 : 1);
}
