import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  readDocuments,
  readQrels,
  readQueries,
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

/** A collection as the paper would have it: judged queries and the first 1000 documents of DPH+KL for each. */
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
  const judged = await readQrels(join(collection, 'qrels.txt'));
  const asked = (await readQueries(collection)).filter(({ id }) => judged.has(id));
  return {
    queries: asked.slice(skip, skip + queries),
    index,
    ranking: (query) => searcher.search(query, { depth: 1000 }),
    close: async () => {
      await index.close();
      rmSync(folder, { recursive: true });
    },
  };
}
