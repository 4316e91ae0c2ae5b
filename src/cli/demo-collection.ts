import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readDocuments, readQrels, readQueries } from '../collection/index.js';
import { openAll } from '../common/open-all.js';
import { demoFolder } from '../common/package-files.js';
import { buildIndex, createAnalyzer, Index } from '../retrieval/index.js';

/** The collection that comes with the package, indexed in a folder that `close` removes. */
export function openDemo(signal: AbortSignal) {
  return openAll(async (closeLater) => {
    const queries = await readQueries(demoFolder);
    const qrels = await readQrels(join(demoFolder, 'qrels.txt'));
    const folder = await mkdtemp(join(tmpdir(), 'bert-qe-demo-'));
    closeLater(() => rm(folder, { recursive: true, force: true }));
    const analyzer = createAnalyzer({ base: 'terrier' });
    await buildIndex(readDocuments(demoFolder), { folder, analyzer, signal });
    const index = Index.open(folder);
    closeLater(() => index.close());
    return { index, queries, qrels };
  });
}
