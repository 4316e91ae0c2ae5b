import {
  check,
  EventStream,
  problemBody,
  problemOf,
  streamedAnswer,
  type Answer,
  type RequestContext,
} from '../http/index.js';
import { searchRequest, type SearchEvents, type SearchRequest } from '../schemas/index.js';
import { search } from '../search/search.js';
import type { Service } from '../service.js';
import { answerOf, type Handler } from './handler.js';

export const answerSearch: Handler = async (service, context, body) => {
  const asked = await check(searchRequest, body, 'documents');
  const wantsEvents = /\btext\/event-stream\b/.test(context.request.headers.accept ?? '');
  return wantsEvents
    ? streamSearch(service, context, asked)
    : answerOf(context, await search(service, context, asked));
};

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
    const problem = problemOf(error, context.ended);
    if (problem.status === 500) service.log.failure(context.id, error);
    send('error', problemBody(problem, context.id));
    ({ status } = problem);
  }
  await stream!.close();
  return streamedAnswer(status);
}
