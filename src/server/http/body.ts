import type { IncomingMessage } from 'node:http';
import type { Context } from 'hono';
import type { z } from 'zod';
import { HttpProblem } from './problem.js';

/** Whether a body is declared as JSON. */
export function isJson(contentType: string | undefined): boolean {
  const [type = ''] = (contentType ?? '').split(';');
  return /^application\/([\w.-]+\+)?json$/i.test(type.trim());
}

/** Reads a whole message: one of a declared length, which Node keeps to. */
export function readMessage(message: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    message.on('data', (chunk: Buffer) => chunks.push(chunk));
    message.on('end', () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)));
    message.on('error', reject);
    message.on('close', () => {
      // It also follows the end; an error costs more than all the rest of this.
      if (!message.complete) reject(new Error('The connection was closed before the end of the body.'));
    });
  });
}

/** Reads a body of at most so many bytes as JSON. */
export async function readJson(c: Context, mostBytes: number): Promise<unknown> {
  if (!isJson(c.req.header('content-type'))) {
    throw new HttpProblem(
      415,
      'unsupported_media_type',
      'The body must be declared as JSON: send Content-Type: application/json.',
    );
  }
  return parseJson(await readBytes(c, mostBytes));
}

async function readBytes(c: Context, mostBytes: number): Promise<Buffer> {
  const declared = c.req.header('content-length');
  if (declared !== undefined) {
    if (Number(declared) > mostBytes) throw tooLarge(mostBytes);
    // Node lets no more than the declared length through.
    return Buffer.from(await c.req.raw.arrayBuffer());
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Counted while it comes in: a chunked body declares no length. Not `for await`, which would cut the connection on
  // the way out, and with it the answer.
  const reader = (c.req.raw.body as ReadableStream<Uint8Array> | null)?.getReader();
  for (let read = await reader?.read(); read?.value; read = await reader?.read()) {
    bytes += read.value.length;
    if (bytes > mostBytes) throw tooLarge(mostBytes);
    chunks.push(read.value);
  }
  return Buffer.concat(chunks);
}

/** The rest is let go by, for half a second: a connection that is closed on it takes the answer along. */
function tooLarge(mostBytes: number): HttpProblem {
  return new HttpProblem(
    413,
    'too_large',
    `The body is larger than ${mostBytes} bytes; send fewer documents at a time, or start the server with a larger --max-body.`,
  );
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** What bytes say as JSON. */
export function parseJson(bytes: Buffer): unknown {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw new HttpProblem(400, 'invalid_json', 'The body is not UTF-8.');
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    // The parser quotes the text around the mistake, which is the client's own.
    throw new HttpProblem(400, 'invalid_json', `The body is not JSON: ${(error as Error).message}.`);
  }
}

/** What is wrong with a value is said with the field's name. */
export function check<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const checked = schema.safeParse(value);
  if (checked.success) return checked.data;
  const issues = checked.error.issues.slice(0, 3).map((issue) => `${pathOf(issue.path)}${issue.message}`);
  const more = checked.error.issues.length > 3 ? ` (and ${checked.error.issues.length - 3} more)` : '';
  throw new HttpProblem(422, 'invalid_request', `${issues.join('; ')}${more}.`);
}

function pathOf(path: readonly PropertyKey[]): string {
  const written = path.map((part, i) =>
    typeof part === 'number' ? `[${part}]` : `${i > 0 ? '.' : ''}${String(part)}`,
  );
  return written.length > 0 ? `${written.join('')}: ` : '';
}
