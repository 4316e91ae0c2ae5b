import {
  check,
  EventStream,
  jsonAnswer,
  largeJson,
  problemBody,
  problemOf,
  textAnswer,
  type Answer,
  type RequestContext,
} from '../http/index.js';
import { rerankTei, rerankV1, rerankV2 } from '../rerank/wire-formats.js';
import {
  cohereV2Request,
  searchRequest,
  teiRequest,
  v1Request,
  type SearchEvents,
  type SearchRequest,
} from '../schemas/index.js';
import { search } from '../search/search.js';
import type { Service } from '../service.js';
import type { Handler, Handlers } from './handler.js';

/** Bytes of a body whose answer, which may repeat its documents, is written at once. An explanation may be longer. */
const quickBytes = 1024 * 1024;

function answerOf(
  { bodyBytes = Number.POSITIVE_INFINITY }: RequestContext,
  value: object,
): Answer | Promise<Answer> {
  if (bodyBytes <= quickBytes && !('explanation' in value)) return jsonAnswer(value);
  return largeJson(value).then((json) => textAnswer(json, 'application/json'));
}

const answerV1: Handler = async (service, context, body) =>
  answerOf(context, await rerankV1(service, context, await check(v1Request, body, 'documents')));

/** The routes that run models. */
export const scoringHandlers = {
  rerankV2: async (service, context, body) =>
    answerOf(context, await rerankV2(service, context, await check(cohereV2Request, body, 'documents'))),

  rerankV1: answerV1,

  /** Answers TEI if the request has `texts`, else Cohere v1. With one schema to check against, errors name the wrong field. */
  rerank: async (service, context, body) => {
    const isTei = typeof body === 'object' && body !== null && 'texts' in body;
    if (!isTei) return answerV1(service, context, body);
    return answerOf(context, await rerankTei(service, context, await check(teiRequest, body, 'texts')));
  },

  search: async (service, context, body) => {
    const asked = await check(searchRequest, body, 'documents');
    const wantsEvents = /\btext\/event-stream\b/.test(context.request.headers.accept ?? '');
    return wantsEvents
      ? streamSearch(service, context, asked)
      : answerOf(context, await search(service, context, asked));
  },
} satisfies Partial<Handlers>;

/**
 * Streams a search. The answer begins when the models do, so a refusal before that has its own status. Later problems
 * are events.
 */
async function streamSearch(
  service: Service,
  context: RequestContext,
  asked: SearchRequest,
): Promise<Answer> {
  let stream: EventStream | undefined;
  let initial: SearchEvents['initial'] | undefined;
  const send = <Name extends keyof SearchEvents>(name: Name, data: SearchEvents[Name]): void => {
    if (!stream) {
      stream = new EventStream(context, service.unsent);
      if (initial) stream.send('initial', initial);
    }
    stream.send(name, data);
  };
  let status = 200;
  try {
    const answer = await search(service, context, asked, {
      onInitial: (found) => (initial = found),
      onProgress: (progress) => send('progress', progress),
    });
    send('result', answer);
  } catch (error) {
    if (!stream) throw error;
    const problem = problemOf(error, context, service.log);
    send('error', problemBody(problem, context.id));
    ({ status } = problem);
  }
  await stream!.close();
  // The status is for the log.
  return { status, headers: {}, body: undefined };
}
