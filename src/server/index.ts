export type { Collection } from './catalogue/index.js';
export { ServerLog, type LogLevel } from './log.js';
export { openApiDocument } from './openapi.js';
export { defaultLimits, RerankServer, type ServerOptions } from './server.js';
