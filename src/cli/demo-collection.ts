import { join } from 'node:path';
import { readDocuments, readQrels, readQueries } from '../collection/index.js';
import { openAll } from '../common/open-all.js';
import { demoFolder } from '../common/package-files.js';
import { buildIndex, createAnalyzer, Index } from '../retrieval/index.js';
import { scratchFolder } from './scratch-folder.js';

/** The collection that comes with the package, indexed in a folder that `close` removes. */
export function openDemo(signal: AbortSignal) {
  return openAll(async (closeLater) => {
    const queries = await readQueries(demoFolder);
    const qrels = await readQrels(join(demoFolder, 'qrels.txt'));
    const folder = await scratchFolder(closeLater);
    const analyzer = createAnalyzer({ base: 'terrier' });
    await buildIndex(readDocuments(demoFolder), { folder, analyzer, signal });
    const index = Index.open(folder);
    closeLater(() => index.close());
    return { index, queries, qrels };
  });
}
