import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  readDocuments,
  readQrels,
  readQueries,
  readRun,
  type Query,
  type Ranking,
} from '../../src/collection/index.js';
import {
  buildIndex,
  createAnalyzer,
  DivergenceFeedback,
  Index,
  KL,
  Searcher,
} from '../../src/retrieval/index.js';

/** A collection: judged queries, and for each the ranking in run.trec, or else the first 1000 documents of DPH+KL. */
export interface Setting {
  readonly queries: readonly Query[];
  readonly index: Index;
  ranking(query: Query): Promise<Ranking>;
  close(): Promise<void>;
}

export async function openSetting(collection: string, skip: number, queries: number): Promise<Setting> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-expansion-'));
  await buildIndex(readDocuments(collection), { folder, analyzer: createAnalyzer({ base: 'terrier' }) });
  const index = Index.open(folder);
  const searcher = new Searcher(index, { feedback: new DivergenceFeedback(KL) });
  const run = join(collection, 'run.trec');
  const given = existsSync(run) ? await readRun(run) : undefined;
  const judged = await readQrels(join(collection, 'qrels.txt'));
  const asked = (await readQueries(collection)).filter(({ id }) => judged.has(id));
  return {
    queries: asked.slice(skip, skip + queries),
    index,
    ranking: async (query) => (given ? (given.get(query.id) ?? []) : searcher.search(query, { depth: 1000 })),
    close: async () => {
      await index.close();
      rmSync(folder, { recursive: true });
    },
  };
}
