import { Agent, request } from 'node:http';
import type { RerankRequest } from './workload.js';

export interface Answer {
  readonly status: number;
  readonly milliseconds: number;
}

/** A client that keeps its connections. */
export class HttpClient {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 4000 });
  readonly #bodies: readonly string[];

  constructor(
    private readonly url: string,
    work: readonly RerankRequest[],
  ) {
    // The shape of TEI, which every contender can speak.
    this.#bodies = work.map(({ query, texts }) => JSON.stringify({ query, texts }));
  }

  ask(i: number, headers: Record<string, string> = {}): Promise<Answer> {
    const body = this.#bodies[i % this.#bodies.length];
    const sent = performance.now();
    return new Promise((resolve, reject) => {
      const asking = request(
        `${this.url}/rerank`,
        {
          method: 'POST',
          agent: this.#agent,
          headers: {
            'Content-Type': 'application/json',
            'Content-Length': Buffer.byteLength(body),
            ...headers,
          },
        },
        (answer) => {
          answer.resume();
          answer.on('end', () =>
            resolve({ status: answer.statusCode!, milliseconds: performance.now() - sent }),
          );
          answer.on('error', reject);
        },
      );
      asking.on('error', reject);
      asking.end(body);
    });
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
    this.#agent.destroy();
  }
}
