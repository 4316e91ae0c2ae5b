import type { RequestContext } from './request-context.js';
import type { UnsentAnswers } from './unsent-answers.js';

/** Milliseconds between signs of life: proxies close silent connections. */
const heartbeatMs = 10_000;

const streamHeaders = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  // nginx would hold events back until a buffer is full.
  'X-Accel-Buffering': 'no',
};

/** An answer of server-sent events. Its status is 200. */
export class EventStream {
  readonly #heartbeat: NodeJS.Timeout;

  constructor(
    private readonly context: RequestContext,
    private readonly unsent: UnsentAnswers,
  ) {
    context.writeHead(200, streamHeaders);
    this.#heartbeat = setInterval(() => this.#write(': still here\n\n'), heartbeatMs);
    this.#heartbeat.unref();
  }

  send(event: string, data: unknown): void {
    this.#write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  close(): void {
    clearInterval(this.#heartbeat);
    this.context.response.end();
  }

  #write(text: string): void {
    const { response } = this.context;
    if (response.destroyed) return;
    response.write(text);
    this.unsent.watch(response);
  }
}
