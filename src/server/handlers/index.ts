import { catalogueHandlers } from './catalogue.js';
import type { Handlers } from './handler.js';
import { scoringHandlers } from './scoring.js';
import { serviceHandlers } from './service.js';

export type { Handlers } from './handler.js';
export { answerPage } from './service.js';

export const handlers: Handlers = { ...scoringHandlers, ...catalogueHandlers, ...serviceHandlers };
