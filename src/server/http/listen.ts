import { once } from 'node:events';
import { createServer, type RequestListener, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BertQeError, usageError } from '../../common/errors.js';
import { acceptBacklog, headerBytes, type HttpTimeouts } from '../limits.js';
import { Connections } from './connections.js';

/** Opens a port. */
export async function listen(
  listener: RequestListener,
  host: string,
  port: number,
  timeouts: HttpTimeouts,
): Promise<{ server: HttpServer; port: number }> {
  const connections = new Connections();
  const server = createServer(
    {
      maxHeaderSize: headerBytes,
      headersTimeout: timeouts.headersMs,
      requestTimeout: timeouts.requestMs,
      keepAliveTimeout: timeouts.keepAliveMs,
      // Node checks these limits at this interval; its own 30 s would make them 30 s late.
      connectionsCheckingInterval: Math.min(1000, timeouts.headersMs / 2),
    },
    connections.inTurn(listener),
  );
  server.on('connection', (socket) => connections.add(socket));
  server.listen({ port, host, backlog: acceptBacklog });
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    throw cannotListen(error, host, port);
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
  return usageError(`Cannot listen on ${host}:${port}: ${why}.`, error);
}
