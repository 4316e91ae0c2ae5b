import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { problemBody, type ProblemAnswer } from '../http/index.js';
import type { Ask } from './context.js';

export function answerProblem(c: Ask, problem: ProblemAnswer): Response {
  return c.json(problemBody(problem, c.var.life.id), problem.status as ContentfulStatusCode, {
    ...problem.headers,
  });
}
