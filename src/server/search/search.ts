import type { Document, Ranking } from '../../collection/index.js';
import { withIds, type InputDocument } from '../../expansion/index.js';
import { omitUndefined } from '../../common/omit-undefined.js';
import { HttpProblem, type RequestContext } from '../http/index.js';
import { runRerank } from '../rerank/index.js';
import type { SearchAnswer, SearchEvents, SearchProgress, SearchRequest } from '../schemas/index.js';
import { variantOf, type Service } from '../service.js';
import { initialResults, searchAnswer } from './answer.js';
import { Throttle } from './throttle.js';

/** The listener of a streamed search. */
export interface SearchListener {
  onInitial(initial: SearchEvents['initial']): void;
  onProgress(progress: SearchProgress): void;
}

interface FoundDocuments {
  readonly documents: readonly (InputDocument & { readonly id: string })[];
  readonly firstStage: string | null;
}

/** Finds documents, or takes those of the request, and re-ranks them. */
export async function search(
  service: Service,
  context: RequestContext,
  request: SearchRequest,
  listener?: SearchListener,
): Promise<SearchAnswer> {
  const {
    query,
    queryId,
    explain,
    texts,
    deadline,
    model,
    depth: _,
    topK,
    documents: __,
    ...method
  } = request;
  const started = performance.now();
  const variant = variantOf(service, model);
  const { documents, firstStage } = request.documents
    ? { documents: withIds(request.documents), firstStage: null }
    : await retrieved(service, context, request);
  const retrieval = performance.now() - started;
  context.note({ retrievalMs: retrieval });

  const judged = service.topics.judged(query, queryId);
  const initial = initialResults(documents, judged?.levels, texts);
  listener?.onInitial({ firstStage, results: initial });

  const throttle = listener && new Throttle((progress: SearchProgress) => listener.onProgress(progress));
  const { reranking, scoring, settings } = await runRerank(service, context, {
    query,
    documents,
    variant,
    method: omitUndefined(method),
    topK,
    explain,
    deadline,
    onProgress: throttle && ((progress) => throttle.offer(progress)),
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
  context: RequestContext,
  request: SearchRequest,
): Promise<FoundDocuments> {
  const { collection } = service;
  if (!collection) {
    throw new HttpProblem(
      422,
      'invalid_request',
      'No index is loaded: send documents with the search, or start the server with --index.',
    );
  }
  const depth = request.depth ?? service.depth;
  const query = { id: request.queryId ?? '1', text: request.query };
  const ranking: Ranking = await collection.retriever.search(query, { depth, signal: context.signal });
  const texts: ReadonlyMap<string, Document> = await collection.documents.get(
    ranking.map(({ id }) => id),
    { signal: context.signal },
  );
  return {
    documents: ranking.flatMap(({ id, score }) => {
      const document = texts.get(id);
      return document ? [{ ...document, score }] : [];
    }),
    firstStage: collection.firstStage,
  };
}
