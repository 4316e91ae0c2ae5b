import {
  fileUnder,
  jsonAnswer,
  percentDecoded,
  textAnswer,
  type Answer,
  type RequestContext,
} from '../http/index.js';
import type { Service } from '../service.js';
import type { Handlers } from './handler.js';

/** The page loads nothing from elsewhere. */
const pagePolicy =
  "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; frame-ancestors 'self'";

export const serviceHandlers = {
  health: async ({ health }) => {
    const state = await health.run();
    return jsonAnswer(state, state.status === 'ok' ? 200 : 503);
  },

  ready: ({ draining }) =>
    draining ? jsonAnswer({ status: 'draining' }, 503) : jsonAnswer({ status: 'ready' }),

  metrics: ({ metrics }) => textAnswer(metrics.render(), 'text/plain; version=0.0.4; charset=utf-8'),

  openapi: ({ description }) => textAnswer(description.openApi, 'application/json'),

  docs: ({ description }) =>
    textAnswer(description.page, 'text/html; charset=UTF-8', 200, { 'Content-Security-Policy': pagePolicy }),
} satisfies Partial<Handlers>;

/** A file of the page, or undefined. Without a built page, `/` leads to the description of the API. */
export async function answerPage({ page }: Service, { path }: RequestContext): Promise<Answer | undefined> {
  const file = percentDecoded(path).slice(1) || 'index.html';
  const found = await fileUnder(page, file);
  if (!found) return file === 'index.html' ? toDocs : undefined;
  return textAnswer(found.bytes, found.type, 200, {
    'Content-Security-Policy': pagePolicy,
    // Files in assets/ have their hash in their name.
    'Cache-Control': file.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
  });
}

const toDocs: Answer = { status: 302, headers: { Location: '/docs' }, body: '' };
