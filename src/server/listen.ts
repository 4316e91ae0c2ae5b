import {
  createServer,
  type IncomingMessage,
  type Server as HttpServer,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import { BertQeError } from '../common/errors.js';
import type { Env } from './handlers/index.js';

/** How patient the server is with connections, in milliseconds. */
export interface Patience {
  /** Until the headers are there. */
  readonly headersMs: number;
  /** Until the whole request is there. */
  readonly requestMs: number;
  /** Between two requests of a connection. */
  readonly keepAliveMs: number;
}

export const defaultPatience: Patience = { headersMs: 10_000, requestMs: 30_000, keepAliveMs: 5_000 };

/** Connections at a time: a slow one costs a socket and some memory. */
const mostConnections = 4096;

/** Connections that may wait to be accepted: with Node's 511, those of a sudden crowd would try again after a second. */
const backlog = 4096;

/** Opens the port. What `answered` says it sees to does not reach the application. */
export async function listen(
  app: Hono<Env>,
  answered: (request: IncomingMessage, response: ServerResponse) => boolean,
  host: string,
  port: number,
  patience: Patience,
): Promise<{ server: HttpServer; port: number }> {
  const pass = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  const server = createServer(
    {
      headersTimeout: patience.headersMs,
      requestTimeout: patience.requestMs,
      keepAliveTimeout: patience.keepAliveMs,
      // How often the two above are looked at; Node's 30 s would make them 30 s late.
      connectionsCheckingInterval: Math.min(1000, patience.headersMs / 2),
    },
    (request, response) => {
      if (!answered(request, response)) void pass(request, response);
    },
  );
  server.maxConnections = mostConnections;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(cannotListen(error, host, port)));
    server.listen({ port, host, backlog }, resolve);
  });
  return { server, port: (server.address() as AddressInfo).port };
}

function cannotListen(error: NodeJS.ErrnoException, host: string, port: number): BertQeError {
  const why =
    error.code === 'EADDRINUSE'
      ? 'another program has it; give another --port'
      : error.code === 'EACCES'
        ? 'it is not allowed; give a --port above 1023'
        : error.message;
  return new BertQeError('usage', `Cannot listen on ${host}:${port}: ${why}.`, { cause: error });
}
