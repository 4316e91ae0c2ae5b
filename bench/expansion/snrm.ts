// node --import tsx bench/expansion/snrm.ts COLLECTION INDEX MODEL
//   (after npm run build and bert-qe train --method snrm --index INDEX --out MODEL; COLLECTION has queries and judgements)
//
// What the rounding of activations costs: nDCG@20 of searches by exact weights, and by weights in steps of a part of the
// largest one; and how dense the representations are then.
import { join } from 'node:path';
import { readQrels, readQueries } from '../../src/collection/index.js';
import { Snrm, type LatentVector } from '../../src/controls/index.js';
import { evaluate } from '../../src/evaluation/index.js';
import { Index } from '../../src/retrieval/index.js';

const [collection, folder, model] = process.argv.slice(2) as [string, string, string];
const index = Index.open(folder);
const snrm = await Snrm.load({ model });
const { facts } = await snrm.latentIndex();
const { documents } = index.statistics;

const vectors: LatentVector[] = [];
for (let from = 0; from < documents; from += 1000) {
  const numbers = Array.from({ length: Math.min(1000, documents - from) }, (_, i) => from + i);
  const texts = numbers.map((number) => {
    const { title = '', text } = index.document(number);
    return title === '' ? text : `${title} ${text}`;
  });
  vectors.push(...(await snrm.represent(texts)));
}
const qrels = await readQrels(join(collection, 'qrels.txt'));
const queries = (await readQueries(collection)).filter(({ id }) => qrels.has(id));
const asked = await snrm.represent(queries.map(({ text }) => text));

process.stdout.write('levels  nDCG@20  latent terms of a document  longest and median postings\n');
for (const levels of [undefined, 255, 63, 31, 15, 7]) {
  const step = levels === undefined ? undefined : (facts.step * 31) / levels;
  const postings = new Map<number, { document: number; weight: number }[]>();
  vectors.forEach(({ terms, weights }, document) => {
    terms.forEach((term, i) => {
      const weight = step === undefined ? weights[i]! : Math.round(weights[i]! / step) * step;
      if (weight === 0) return;
      if (!postings.has(term)) postings.set(term, []);
      postings.get(term)!.push({ document, weight });
    });
  });
  const run = new Map(
    queries.map(({ id }, q) => {
      const scores = new Map<number, number>();
      asked[q]!.terms.forEach((term, i) => {
        for (const { document, weight } of postings.get(term) ?? []) {
          scores.set(document, (scores.get(document) ?? 0) + weight * asked[q]!.weights[i]!);
        }
      });
      const best = [...scores].sort((a, b) => b[1] - a[1]).slice(0, 100);
      return [id, best.map(([document, score]) => ({ id: index.documentId(document), score }))] as const;
    }),
  );
  const { summary } = evaluate(run, qrels, { measures: ['nDCG@20'], complete: true, label: 'SNRM' });
  const lengths = [...postings.values()].map(({ length }) => length).sort((a, b) => b - a);
  const mean = lengths.reduce((sum, length) => sum + length, 0) / documents;
  process.stdout.write(
    `${String(levels ?? 'exact').padEnd(7)} ${summary.get('nDCG@20')!.toFixed(4).padEnd(8)} ` +
      `${mean.toFixed(1).padEnd(27)} ${lengths[0]} and ${lengths[lengths.length >> 1]}\n`,
  );
}
const ofQueries = asked.reduce((sum, { terms }) => sum + terms.length, 0) / asked.length;
process.stdout.write(`latent terms of a query: ${ofQueries.toFixed(1)} of ${facts.latentTerms}\n`);
await snrm.close();
await index.close();
