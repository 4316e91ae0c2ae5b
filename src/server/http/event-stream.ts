import { largeJson } from './answer.js';
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

const lineEnds = Buffer.from('\n\n');

/** An answer of server-sent events. Its status is 200. */
export class EventStream {
  readonly #heartbeat: NodeJS.Timeout;
  #last = Promise.resolve();

  constructor(
    private readonly context: RequestContext,
    private readonly unsent: UnsentAnswers,
  ) {
    context.writeHead(200, streamHeaders);
    this.#heartbeat = setInterval(() => this.#write(': still here\n\n'), heartbeatMs);
    this.#heartbeat.unref();
  }

  /** Sends an event, after those before it. */
  send(event: string, data: unknown): void {
    this.#last = this.#last.then(async () => {
      const json = await largeJson(data);
      this.#write(Buffer.concat([Buffer.from(`event: ${event}\ndata: `), json, lineEnds]));
    });
  }

  async close(): Promise<void> {
    await this.#last;
    clearInterval(this.#heartbeat);
    this.context.response.end();
  }

  #write(bytes: string | Uint8Array): void {
    const { response } = this.context;
    if (response.destroyed) return;
    response.write(bytes);
    this.unsent.watch(response);
  }
}
