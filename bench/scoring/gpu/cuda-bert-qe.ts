// node cuda-bert-qe.js VARIANT…: seconds that BERT-QE takes on CUDA for a query with 1,000 documents, at the paper's
// numbers. Models that do not come with the package have random weights.
import { rmSync } from 'node:fs';
import type { SizeLetter } from '../../../src/bert/sizes.js';
import { BertQE, PUBLISHED } from '../../../src/expansion/index.js';
import { modelFolder } from '../model-folder.js';
import { passages } from '../workload.js';

/** Words of a document, about the mean of newswire. */
const WORDS = 480;
const QUERIES = 3;

const words = (await passages(6000)).join(' ').split(' ');
const documents = Array.from({ length: PUBLISHED.depth }, (_, i) => {
  const from = (i * WORDS) % (words.length - WORDS);
  return { text: words.slice(from, from + WORDS).join(' '), score: PUBLISHED.depth - i };
});
const queries = Array.from({ length: QUERIES }, (_, i) => words.slice(1000 * i, 1000 * i + 4).join(' '));

const folders = new Map<SizeLetter, { folder: string; trained: boolean }>();
for (const variant of process.argv.slice(2)) {
  const models: string[] = [];
  for (const size of variant as Iterable<SizeLetter>) {
    if (!folders.has(size)) folders.set(size, await modelFolder(size));
    models.push(folders.get(size)!.folder);
  }
  const [phaseOne, phaseTwo, phaseThree] = models;
  const { kc, chunkWords } = PUBLISHED;
  const loading = performance.now();
  const bertQe = await BertQE.load({
    models: [phaseOne, phaseTwo, phaseThree],
    device: 'cuda',
    kc,
    chunkWords,
  });
  const loadSeconds = (performance.now() - loading) / 1000;
  const rows = [];
  for (const query of queries) rows.push((await bertQe.rerank(query, documents)).cost);
  await bertQe.close();
  const [first, ...later] = rows.map(({ seconds }) => seconds);
  const { pairs, tokens, flops } = rows.at(-1)!;
  const seconds = later.reduce((sum, each) => sum + each, 0) / later.length;
  console.log(
    JSON.stringify({
      kind: 'cuda bert-qe',
      variant,
      documents: documents.length,
      loadSeconds,
      first,
      seconds,
      pairs,
      tokens,
      flops,
    }),
  );
}
for (const { folder, trained } of folders.values()) if (!trained) rmSync(folder, { recursive: true });
