import { fileUnder } from '../http/index.js';
import type { RouteHandler } from './context.js';

/** The page loads nothing from elsewhere. */
export const pagePolicy =
  "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; frame-ancestors 'self'";

export const answerReady: RouteHandler = ({ draining }, c) =>
  draining ? c.json({ status: 'draining' }, 503) : c.json({ status: 'ready' });

export const answerMetrics: RouteHandler = ({ metrics }, c) =>
  c.body(metrics.render(), 200, { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' });

/** The page, its scripts and styles; without a built page, the description of the API in its place. */
export const answerPage: RouteHandler = async ({ page }, c) => {
  const path = decodeURIComponent(c.req.path).slice(1) || 'index.html';
  const found = await fileUnder(page, path);
  if (!found) return path === 'index.html' ? c.redirect('/docs') : c.notFound();
  return c.body(new Uint8Array(found.bytes), 200, {
    'Content-Type': found.type,
    'Content-Security-Policy': pagePolicy,
    // Files in assets/ have their hash in their name.
    'Cache-Control': path.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
  });
};
