import type { Document, Query } from '../../collection/index.js';
import { withIds } from '../../expansion/index.js';
import { omitUndefined } from '../../common/omit-undefined.js';
import { HttpProblem, type RequestContext } from '../http/index.js';
import { runRerank } from '../rerank/run-rerank.js';
import type { SearchAnswer, SearchEvents, SearchProgress, SearchRequest } from '../schemas/index.js';
import type { Service } from '../service.js';
import { initialResults, searchAnswer } from './answer.js';
import { throttled } from './throttle.js';

/** The listener of a streamed search. */
export interface SearchListener {
  onInitial(initial: SearchEvents['initial']): void;
  onProgress(progress: SearchProgress): void;
}

/** Finds documents, or takes those of the request, and re-ranks them. */
export async function search(
  service: Service,
  context: RequestContext,
  request: SearchRequest,
  listener?: SearchListener,
): Promise<SearchAnswer> {
  const { query, queryId, model, documents: given, depth, topK, ...others } = request;
  const { explain, texts, deadline, ...method } = others;
  const started = performance.now();
  const variant = service.models.find(model);
  const { documents, firstStage } = given
    ? { documents: withIds(given), firstStage: null }
    : await retrieved(service, { id: queryId ?? '1', text: query }, depth, context.signal);
  const retrieval = performance.now() - started;
  context.note({ retrievalMs: retrieval });

  const judged = service.topics.judged(query, queryId);
  const initial = initialResults(documents, judged?.levels, texts);
  listener?.onInitial({ firstStage, results: initial });

  const { reranking, scoring, settings } = await runRerank(service, context, {
    query,
    documents,
    variant,
    method: omitUndefined(method),
    topK,
    explain,
    deadline,
    onProgress: listener && throttled((progress) => listener.onProgress(progress)),
  });
  service.measurements.record(variant, reranking.cost, documents.length);

  return searchAnswer({
    id: context.id,
    query,
    model: variant.id,
    firstStage,
    documents,
    initial,
    judged,
    reranking,
    settings,
    signal: context.signal,
    started,
    milliseconds: { retrieval, queue: scoring.queueMs },
  });
}

async function retrieved(
  service: Service,
  query: Query,
  depth = service.depth,
  signal: AbortSignal,
): Promise<{ documents: (Document & { readonly score: number })[]; firstStage: string }> {
  const { collection } = service;
  if (!collection) {
    throw new HttpProblem(
      'invalid_request',
      'No index is loaded: send documents with the search, or start the server with --index.',
    );
  }
  const ranking = await collection.retriever.search(query, { depth, signal });
  const ids = ranking.map(({ id }) => id);
  const found = await collection.documents.get(ids, { signal });
  const documents = ranking.flatMap(({ id, score }) => {
    const document = found.get(id);
    return document ? [{ ...document, score }] : [];
  });
  return { documents, firstStage: collection.firstStage };
}
