import {
  BertQE,
  countWords,
  eachPhase,
  type BertQEOptions,
  type InputDocument,
  type Settings,
} from '../../expansion/index.js';
import { mapInSlices } from '../../common/yield.js';
import type { ServedVariant } from '../catalogue/index.js';
import { HttpProblem, type RequestContext } from '../http/index.js';
import { RequestScoring } from '../scheduling/index.js';
import type { SearchProgress } from '../schemas/index.js';
import type { Service } from '../service.js';
import { estimateWork, mostPairs } from './estimate-work.js';

/** Documents to re-rank for a query. */
export interface RerankInput {
  readonly query: string;
  readonly documents: readonly (string | InputDocument)[];
  readonly variant: ServedVariant;
  /** The parameters that the request sets, if any. */
  readonly method?: BertQEOptions | undefined;
  readonly topK?: number | undefined;
  readonly explain?: boolean | undefined;
  /** Keeps log-odds, from which raw scores are made. */
  readonly keepOdds?: boolean | undefined;
  /** Milliseconds after which the best order known so far is taken. */
  readonly deadline?: number | undefined;
  readonly onProgress?: ((progress: SearchProgress) => void) | undefined;
}

/** Re-ranks the documents of an admitted request, or throws if there is no room for it. */
export async function runRerank(service: Service, context: RequestContext, input: RerankInput) {
  const { query, documents, variant, topK, explain, deadline, keepOdds, onProgress } = input;
  const { client, signal, reservation } = context;
  const request = { client, signal, reservation, keepOdds, onProgress };
  const scoring = new RequestScoring(service.scheduler, request);
  const method = service.methodDefaults.with(input.method, variant.expansion);
  const models =
    method.passageChoice === 'exhaustive'
      ? { ...variant.models, bestPassage: variant.models.phaseOne }
      : variant.models;
  const scorers = eachPhase((phase) => scoring.scorerOf(models[phase]));
  const bertQe = new BertQE(scorers, method);
  const { settings } = bertQe;
  const looksAgain = models.bestPassage !== models.phaseOne;
  await refuseTooManyPairs(documents, { settings, looksAgain }, service.limits.pairs, signal);
  reservation?.admit(estimateWork({ query, lengths: documents.map(charactersOf), models, settings }));
  try {
    const options = { signal, topK, explain, keepEvidence: keepOdds, deadline };
    const reranking = await bertQe.rerank(query, documents, options);
    const { tokens, queueMs, inferenceMs } = scoring;
    const { pairs } = reranking.cost;
    context.note({ model: variant.id, documents: documents.length, pairs, tokens, queueMs, inferenceMs });
    return { reranking, settings, scoring };
  } finally {
    reservation?.release();
  }
}

function charactersOf(document: string | InputDocument): number {
  if (typeof document === 'string') return document.length;
  return document.text.length + (document.title?.length ?? 0);
}

/**
 * Refuses documents with too many passages and chunks. Their lengths mostly show that there are few enough; words are
 * counted only where they do not.
 */
async function refuseTooManyPairs(
  documents: readonly (string | InputDocument)[],
  { settings, looksAgain }: { readonly settings: Settings; readonly looksAgain: boolean },
  most: number,
  signal: AbortSignal,
): Promise<void> {
  // A word has at least one character, and a space before the next.
  const mostWords = documents.map((document) => Math.ceil(charactersOf(document) / 2));
  if (mostPairs(mostWords, settings, looksAgain) <= most) return;
  const words = await mapInSlices(documents, signal, (document) =>
    countWords(typeof document === 'string' ? document : document.text),
  );
  const pairs = mostPairs(words, settings, looksAgain);
  if (pairs <= most) return;
  throw new HttpProblem(
    'too_large',
    `The request is up to ${pairs} pairs of texts; this server takes at most ${most} at a time. ` +
      'Send fewer or shorter documents, or start the server with a larger --max-pairs.',
  );
}
