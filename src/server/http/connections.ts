import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { openConnections, pipelinedRequests } from '../limits.js';

/** A connection and the requests that it has brought. */
interface Connection {
  isBusy: boolean;
  /** Starts the requests that wait for the one before them. */
  readonly waiting: (() => void)[];
}

/**
 * The connections of a server. The requests of each are handed on one after the other, however many a client sends
 * ahead. Where there are too many connections, the one that has been without a whole request for longest is closed: clients
 * that open connections and send nothing do not keep others out.
 */
export class Connections {
  readonly #connections = new Map<Socket, Connection>();
  /** Connections without a request, the longest first. */
  readonly #idle = new Set<Socket>();

  /** The listener for the requests of these connections. */
  inTurn(listener: RequestListener): RequestListener {
    return (request, response) => {
      const { socket } = request;
      const connection = this.#connections.get(socket);
      if (!connection) return void listener(request, response);
      const start = (): void => {
        this.#idle.delete(socket);
        connection.isBusy = true;
        response.once('close', () => this.#next(socket, connection));
        listener(request, response);
      };
      if (!connection.isBusy) return start();
      connection.waiting.push(start);
      if (connection.waiting.length > pipelinedRequests) socket.destroy();
    };
  }

  add(socket: Socket): void {
    this.#connections.set(socket, { isBusy: false, waiting: [] });
    this.#idle.add(socket);
    socket.on('close', () => {
      this.#connections.delete(socket);
      this.#idle.delete(socket);
    });
    if (this.#connections.size <= openConnections) return;
    const [longest = socket] = this.#idle;
    longest.destroy();
  }

  #next(socket: Socket, connection: Connection): void {
    if (!this.#connections.has(socket)) return;
    const { waiting } = connection;
    if (waiting.length === 0) {
      connection.isBusy = false;
      this.#idle.add(socket);
      return;
    }
    // Other connections come first.
    setImmediate(() => {
      if (!socket.destroyed) waiting.shift()!();
    });
  }
}
