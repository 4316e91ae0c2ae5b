import type { Query, Ranking, ScoredDocument } from '../../collection/index.js';
import { inputError, throwIfAborted } from '../../common/errors.js';
import { TimeSlice } from '../../common/yield.js';
import { type Index, QueryLikelihood, Searcher } from '../../retrieval/index.js';
import { Random } from '../../training/index.js';
import type { JudgedInputs } from '../../training/network/index.js';
import type { ProgressCall } from '../words/skip-gram.js';

/** Documents of a query's ranking by QL that count as relevant, and those below them that do not. */
const relevantDepth = 10;
const otherDepth = 40;
/** Random documents of the collection, which do not count as relevant either. */
const randomDocuments = 40;

/**
 * Queries made from the documents, judged by query likelihood: titles, and groups of three to eight neighbouring words.
 * The first documents that QL finds for a query stand for relevant ones, later and random ones for others.
 */
export async function weakInputs(
  index: Index,
  { count, seed }: { readonly count: number; readonly seed: number },
  call: ProgressCall = {},
): Promise<Pick<JudgedInputs, 'queries' | 'qrels' | 'run'>> {
  const searcher = new Searcher(index, { model: new QueryLikelihood() });
  const queries: Query[] = [];
  const run = new Map<string, Ranking>();
  const qrels = new Map<string, ReadonlyMap<string, number>>();
  const slice = new TimeSlice();
  // A collection of texts without words ends after so many tries.
  for (let tried = 0; queries.length < count && tried < 20 * count; tried++) {
    if (slice.isOver) {
      await slice.yield();
      throwIfAborted(call.signal);
      call.onProgress?.(queries.length, count);
    }
    const random = new Random('weak query', seed, tried);
    const text = queryText(index, random);
    if (text === undefined) continue;
    const query = { id: `weak-${tried}`, text };
    const ranking = await searcher.search(query, { depth: relevantDepth + otherDepth });
    if (ranking.length === 0) continue;
    queries.push(query);
    run.set(query.id, withRandomDocuments(ranking, index, random));
    qrels.set(query.id, new Map(ranking.slice(0, relevantDepth).map(({ id }) => [id, 1])));
  }
  if (queries.length === 0) {
    throw inputError(`${index.folder}: no queries can be made of its documents; they have too few words.`);
  }
  return { queries, run, qrels };
}

/** A title, or neighbouring words of a text: of a random document. */
function queryText(index: Index, random: Random): string | undefined {
  const { title = '', text } = index.document(random.below(index.statistics.documents));
  const words = index.analyzer.tokenize(title === '' || random.unit() < 0.5 ? text : title);
  const length = title !== '' && words.length <= 12 ? words.length : 3 + random.below(6);
  if (words.length < 2) return undefined;
  const from = random.below(Math.max(1, words.length - length + 1));
  return words.slice(from, from + length).join(' ');
}

function withRandomDocuments(ranking: Ranking, index: Index, random: Random): Ranking {
  const known = new Set(ranking.map(({ id }) => id));
  const others: ScoredDocument[] = [];
  for (let i = 0; i < randomDocuments; i++) {
    const id = index.documentId(random.below(index.statistics.documents));
    if (!known.has(id)) others.push({ id, score: 0 });
    known.add(id);
  }
  return [...ranking, ...others];
}
