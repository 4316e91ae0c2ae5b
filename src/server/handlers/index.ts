import type { RouteName } from '../routes.js';
import * as catalogue from './catalogue.js';
import type { RouteHandler } from './context.js';
import * as rerank from './rerank.js';
import { answerSearch } from './search.js';
import * as service from './service.js';

export type { Ask, Env, RouteHandler } from './context.js';
export { answerProblem } from './problem.js';
export { directAnswers, type JsonAnswer } from './rerank.js';
export { eventStreamType } from './search.js';
export { answerPage, pagePolicy } from './service.js';

/** Those that need nothing but the service; the application adds health and its own descriptions. */
export const handlers = {
  rerankV2: rerank.answerRerankV2,
  rerankV1: rerank.answerRerankV1,
  rerank: rerank.answerRerank,
  search: answerSearch,
  variants: catalogue.answerVariants,
  info: catalogue.answerInfo,
  queries: catalogue.answerQueries,
  document: catalogue.answerDocument,
  experiments: catalogue.answerExperiments,
  experimentFile: catalogue.answerExperimentFile,
  ready: service.answerReady,
  metrics: service.answerMetrics,
} satisfies Partial<Record<RouteName, RouteHandler>>;
