import * as catalogue from './catalogue.js';
import type { Handlers } from './handler.js';
import * as rerank from './rerank.js';
import { answerSearch } from './search.js';
import * as service from './service.js';

export type { Handlers } from './handler.js';
export { answerPage } from './service.js';

/** The handler of every route. */
export const handlers: Handlers = {
  rerankV2: rerank.answerRerankV2,
  rerankV1: rerank.answerRerankV1,
  rerank: rerank.answerRerank,
  search: answerSearch,
  variants: catalogue.answerVariants,
  models: catalogue.answerModels,
  modelsV1: catalogue.answerModels,
  modelV1: catalogue.answerModel,
  info: catalogue.answerInfo,
  queries: catalogue.answerQueries,
  document: catalogue.answerDocument,
  experiments: catalogue.answerExperiments,
  experimentFile: catalogue.answerExperimentFile,
  health: service.answerHealth,
  ready: service.answerReady,
  metrics: service.answerMetrics,
  openapi: service.answerOpenApi,
  docs: service.answerDocs,
};
