import { directAnswers } from './handlers/index.js';
import { RequestLife } from './http/index.js';
import { routes } from './routes.js';
import { Admission, Scheduler } from './scheduling/index.js';
import type { Service } from './service.js';

/** How much longer a start may take for it, in milliseconds. */
const longestMs = 500;

/** By then V8 has compiled what is worth it. */
const mostRequests = 2000;

/** As short as a request can be: it is not the models that rehearse. */
const body = { query: 'bridge', texts: ['wind', 'deck'] };

/** What is compiled is so for all servers of a process. */
let isDone = false;

/**
 * Answers made-up requests, so that V8 compiles what every request runs before the first real one comes, and not beside
 * the models in the first minute. On a stage of its own: the speed of such requests tells nothing about real ones.
 */
export async function rehearse(service: Service): Promise<void> {
  if (isDone) return;
  isDone = true;
  const { limits } = service;
  const scheduler = new Scheduler();
  const stage: Service = { ...service, scheduler, admission: new Admission(limits, scheduler.throughput) };
  const answer = directAnswers.get(routes.rerank.path)!;
  const end = performance.now() + longestMs;
  for (let i = 0; i < mostRequests && performance.now() < end; i++) {
    const life = new RequestLife('rehearsal', 'rehearsal', limits.deadlineMs);
    try {
      await answer(stage, life, body);
    } finally {
      life.close();
    }
  }
}
