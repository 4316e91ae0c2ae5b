import {
  BertQE,
  eachPhase,
  phases,
  type BertQEOptions,
  type InputDocument,
  type PhaseCost,
  type RerankCost,
  type Reranking,
  type RerankProgress,
  type Settings,
} from '../../expansion/index.js';
import type { Variant } from '../catalogue/index.js';
import type { RequestLife } from '../http/index.js';
import { estimateWork, RequestScoring } from '../scheduling/index.js';
import type { Service } from '../service.js';

/** Documents to be re-ranked for a query. */
export interface RerankWork {
  readonly query: string;
  readonly documents: readonly (string | InputDocument)[];
  readonly variant: Variant;
  /** What the request sets, if anything; the rest is the server's. */
  readonly method: BertQEOptions | undefined;
  readonly topK?: number | undefined;
  readonly explain?: boolean | undefined;
  /** Keeps log-odds, so that raw scores can be made of them. */
  readonly keepOdds?: boolean | undefined;
  /** Milliseconds after which the best order known so far will do. */
  readonly anytime?: number | undefined;
  readonly onProgress?: (progress: RerankProgress & { readonly total: number }) => void;
}

/** Re-ranked documents, with what it took. */
export interface PerformedRerank {
  readonly reranking: Reranking;
  readonly settings: Settings;
  readonly scoring: RequestScoring;
}

/** Admits the work, shares the models with other requests, and gives the result; or throws why not. */
export async function perform(
  service: Service,
  life: RequestLife,
  work: RerankWork,
): Promise<PerformedRerank> {
  const { query, documents, variant, topK, anytime } = work;
  const scoring = new RequestScoring(service.scheduler, {
    client: life.client,
    signal: life.signal,
    keepOdds: work.keepOdds ?? false,
    ...(work.onProgress ? { onProgress: work.onProgress } : {}),
  });
  const bertQe = new BertQE(
    eachPhase((phase) => scoring.scorerOf(variant.engines[phase])),
    service.methods.of(variant.expansion, work.method),
  );
  const { settings } = bertQe;
  const estimate = estimateWork({
    query,
    lengths: documents.map(charactersOf),
    variant,
    settings,
  });
  const held = life.settle(estimate);
  const { client, deadline } = life;
  const ticket = service.admission.admit({ client, work: estimate, deadline, held });
  scoring.ticket = ticket;
  try {
    const reranking = await bertQe.rerank(query, documents, {
      signal: life.signal,
      onProgress: scoring.onProgress,
      ...(topK === undefined ? {} : { topK }),
      ...(work.explain ? { explain: true } : {}),
      ...(work.keepOdds ? { keepEvidence: true } : {}),
      ...(anytime === undefined ? {} : { deadline: anytime }),
    });
    life.note({
      model: variant.id,
      documents: documents.length,
      pairs: reranking.cost.pairs,
      tokens: scoring.tokens,
      queueMs: scoring.queueMs,
      inferenceMs: scoring.inferenceMs,
    });
    return { reranking, settings, scoring };
  } finally {
    ticket.close();
  }
}

function charactersOf(document: string | InputDocument): number {
  if (typeof document === 'string') return document.length;
  return document.text.length + (document.title?.length ?? 0);
}

/** What it cost, tokens and FLOPs included: the re-ranker does not know the scheduler's meters; the request's scorers counted. */
export function costOf({ reranking: { cost }, scoring: { use } }: PerformedRerank): RerankCost {
  const counted = eachPhase((phase): PhaseCost => {
    const { pairs, exhaustivePairs, seconds } = cost[phase];
    return { pairs, exhaustivePairs, seconds, tokens: use[phase].tokens, flops: use[phase].flops };
  });
  const sum = (of: (phase: PhaseCost) => number) =>
    phases.reduce((total, phase) => total + of(counted[phase]), 0);
  return { ...cost, ...counted, tokens: sum(({ tokens }) => tokens), flops: sum(({ flops }) => flops) };
}
