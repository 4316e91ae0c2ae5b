/**
 * The server of `bert-qe serve`, for a process of your own: re-rank routes in the formats of Cohere, Jina, Voyage and
 * TEI, search with explanations, the page, metrics.
 *
 * @module
 */
export type { Collection } from './catalogue/index.js';
export { defaultLimits } from './limits.js';
export { ServerLog, type LogLevel } from './log.js';
export { openApiDocument } from './openapi.js';
export { RerankServer, type ServerOptions } from './server.js';
