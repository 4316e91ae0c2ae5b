import { check, EventStream, problemBody, problemOf, readJson } from '../http/index.js';
import { routes } from '../routes.js';
import type { SearchEvents, SearchRequest } from '../schemas/index.js';
import { search } from '../search/index.js';
import type { Service } from '../service.js';
import type { Ask, RouteHandler } from './context.js';

export const eventStreamType = 'text/event-stream; charset=utf-8';

export const answerSearch: RouteHandler = async (service, c) => {
  const body = check(routes.search.request, await readJson(c, service.limits.bodyBytes));
  const wantsEvents = /\btext\/event-stream\b/.test(c.req.header('accept') ?? '');
  return wantsEvents ? streamed(service, c, body) : c.json(await search(service, c.var.life, body));
};

/**
 * The answer begins when the models do: what is refused before has its own status. From then on the status is 200,
 * and what goes wrong is an event.
 */
function streamed(service: Service, c: Ask, body: SearchRequest): Promise<Response> {
  const { life, log, finish } = c.var;
  return new Promise((resolve, reject) => {
    let events: EventStream | undefined;
    let initial: SearchEvents['initial'] | undefined;
    const send = <Name extends keyof SearchEvents>(name: Name, data: SearchEvents[Name]): void => {
      if (!events) {
        events = new EventStream(() => life.end('hang-up'));
        resolve(c.body(events.body, 200, streamHeaders));
        if (initial) events.send('initial', initial);
      }
      events.send(name, data);
    };
    search(service, life, body, {
      onInitial: (found) => (initial = found),
      onProgress: (progress) => send('progress', progress),
    }).then(
      (answer) => {
        send('result', answer);
        events!.close();
        finish(200);
      },
      (error: unknown) => {
        // Nothing is said yet: the status still can say it.
        if (!events) return reject(error as Error);
        const problem = problemOf(error, life.ended);
        if (problem.status === 500) log.failure(life.id, error);
        send('error', problemBody(problem, life.id));
        events.close();
        return finish(problem.status);
      },
    );
  });
}

const streamHeaders = {
  'Content-Type': eventStreamType,
  'Cache-Control': 'no-store',
  // nginx would hold events back until a buffer is full.
  'X-Accel-Buffering': 'no',
};
