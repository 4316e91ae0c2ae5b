import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { RequestLife } from '../http/index.js';
import type { ServerLog } from '../log.js';
import type { Service } from '../service.js';

/** What middleware leaves for the handlers. */
export interface Variables {
  life: RequestLife;
  log: ServerLog;
  /** Writes the request down; a handler whose answer is a stream calls it at the end of the stream. */
  finish: (status: number) => void;
}

export interface Env {
  Bindings: Partial<HttpBindings>;
  Variables: Variables;
}

export type Ask = Context<Env>;

/** Answers one route. */
export type RouteHandler = (service: Service, c: Ask) => Response | Promise<Response>;
