import { Connection } from './connection.js';
import type { RerankRequest } from './workload.js';

export interface Answer {
  readonly status: number;
  readonly milliseconds: number;
}

/**
 * A light client with kept connections: requests are bytes made beforehand, and of answers only status and end are
 * read. It runs on the cores of the server that it measures, so its own work takes time from the server.
 */
export class HttpClient {
  readonly #host: string;
  readonly #port: number;
  readonly #idle: Connection[] = [];
  readonly #all = new Set<Connection>();
  readonly #bodies: readonly string[];
  /** Requests by their headers. */
  readonly #requests = new Map<string, Buffer[]>();

  constructor(
    private readonly url: string,
    work: readonly RerankRequest[],
  ) {
    const { hostname, port } = new URL(url);
    this.#host = hostname;
    this.#port = Number(port);
    // The shape of TEI, which every contender can speak.
    this.#bodies = work.map(({ query, texts }) => JSON.stringify({ query, texts }));
  }

  async ask(i: number, header = ''): Promise<Answer> {
    const bytes = this.#request(i, header);
    const sent = performance.now();
    const connection = this.#idle.pop() ?? this.#connect();
    const status = await connection.send(bytes);
    const milliseconds = performance.now() - sent;
    if (this.#all.has(connection)) this.#idle.push(connection);
    return { status, milliseconds };
  }

  /** Connections that were cut while a request waited. */
  resets = 0;

  /** For closed loops, where everything must be answered; a cut connection is tried again, as clients do. */
  async must(i: number): Promise<void> {
    for (;;) {
      try {
        const { status } = await this.ask(i);
        if (status !== 200) throw new Error(`${this.url} answered ${status}.`);
        return;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error;
        this.resets++;
      }
    }
  }

  close(): void {
    for (const connection of this.#all) connection.close();
  }

  #connect(): Connection {
    const connection = new Connection(this.#host, this.#port, (closed) => {
      this.#all.delete(closed);
      const at = this.#idle.indexOf(closed);
      if (at >= 0) this.#idle.splice(at, 1);
    });
    this.#all.add(connection);
    return connection;
  }

  #request(i: number, header: string): Buffer {
    let requests = this.#requests.get(header);
    if (!requests) {
      requests = this.#bodies.map((body) => {
        const head = [
          'POST /rerank HTTP/1.1',
          `Host: ${this.#host}:${this.#port}`,
          'Content-Type: application/json',
          `Content-Length: ${Buffer.byteLength(body)}`,
          ...(header === '' ? [] : [header]),
        ];
        return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
      });
      this.#requests.set(header, requests);
    }
    return requests[i % requests.length];
  }
}
