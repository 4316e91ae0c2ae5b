import type { IncomingMessage, ServerResponse } from 'node:http';
import { arrivalOf, plainHeadOf, refusalOf, turnAway, type DoorOptions } from './door.js';
import { directAnswers, type JsonAnswer } from './handlers/index.js';
import { isJson, parseJson, problemBody, problemOf, readMessage } from './http/index.js';
import type { Service } from './service.js';
import { Visit } from './visit.js';

/**
 * Answers plain re-rank requests without the application: its requests, answers and streams, made for the web's
 * interfaces, cost more than a tenth of what a small model does. Scoring requests that there is no room for are turned
 * away here. Whatever is not plain (refused otherwise, not JSON, of unknown length, from another origin) takes the
 * long way. True where it sees to the answer.
 */
export function answerDirectly(
  request: IncomingMessage,
  response: ServerResponse,
  service: Service,
  options: DoorOptions,
): boolean {
  const started = performance.now();
  const head = plainHeadOf(request, service, options);
  if (!head) return false;
  const problem = refusalOf(head, service, options);
  if (problem?.status === 429) {
    turnAway({ request, response, head, started }, problem, service, options);
    return true;
  }
  const answer = directAnswers.get(head.path);
  if (problem || !answer || !isJson(head.header('content-type'))) return false;
  const visit = new Visit(head, service, options);
  visit.life.hold(service.admission.claim(arrivalOf(head, service, options)));
  response.on('close', () => {
    if (!response.writableFinished) visit.life.end('hang-up');
  });
  void respond(request, response, visit, answer, service, options);
  return true;
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  visit: Visit,
  answer: JsonAnswer,
  service: Service,
  { log }: DoorOptions,
): Promise<void> {
  const { life } = visit;
  let status = 200;
  let body: object;
  let problemHeaders: Readonly<Record<string, string>> = {};
  try {
    const bytes = await readMessage(request).catch((error: unknown) => {
      life.end('hang-up');
      throw error;
    });
    await service.turns.next();
    body = await answer(service, life, parseJson(bytes));
  } catch (error) {
    const problem = problemOf(error, life.ended);
    if (problem.status === 500) log.failure(life.id, error);
    ({ status, headers: problemHeaders } = problem);
    body = problemBody(problem, life.id);
  }
  if (!response.destroyed) {
    const text = JSON.stringify(body);
    const headers = Object.assign(visit.headers(), problemHeaders);
    headers['Content-Type'] = 'application/json';
    headers['Content-Length'] = String(Buffer.byteLength(text));
    response.writeHead(status, headers);
    response.end(text);
  }
  visit.finish(life.ended === 'hang-up' ? 499 : status);
}
