import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { listening } from '../../support/listening.js';

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
  readonly text: string;
}

/**
 * An answer of a handler: JSON with a status; `drop` cuts the connection, `never` leaves it open, `endless` sends white
 * space as fast as it is read, `slow` a character now and then.
 */
export type Answer =
  | { readonly status?: number; readonly json?: unknown; readonly text?: string; readonly headers?: object }
  | 'drop'
  | 'never'
  | 'endless'
  | 'slow';

/** A server on the loopback interface that answers as a test says; closed after the test file. */
export async function loopback(handler: (asked: Asked, count: number) => Answer | Promise<Answer>) {
  const asked: Asked[] = [];
  let running = 0;
  let mostRunning = 0;
  const url = await listening((request, response) => {
    void (async () => {
      running++;
      mostRunning = Math.max(mostRunning, running);
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const text = Buffer.concat(chunks).toString();
      response.on('close', () => void running--);
      const one: Asked = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body: parsed(text),
        text,
      };
      asked.push(one);
      const answer = await handler(one, asked.length);
      if (answer === 'never') return;
      if (answer === 'drop') {
        request.socket.destroy();
        return;
      }
      if (answer === 'endless') return pour(response);
      if (answer === 'slow') {
        const clock = setInterval(() => response.write(' '), 20);
        response.on('close', () => clearInterval(clock));
        return;
      }
      response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers });
      response.end(answer.text ?? JSON.stringify(answer.json ?? {}));
    })().catch(() => request.socket.destroy());
  });
  return {
    url,
    asked,
    get mostRunning() {
      return mostRunning;
    },
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function pour(response: ServerResponse): void {
  const part = Buffer.alloc(1 << 16, ' ');
  const more = () => {
    while (!response.destroyed && response.write(part));
  };
  response.on('drain', more);
  more();
}
