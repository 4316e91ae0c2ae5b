import type { Context } from 'hono';
import type { z } from 'zod';
import { HttpProblem } from './problem.js';

/** Reads a body of at most so many bytes as JSON. */
export async function readJson(c: Context, mostBytes: number): Promise<unknown> {
  const [type = ''] = (c.req.header('content-type') ?? '').split(';');
  if (!/^application\/([\w.-]+\+)?json$/i.test(type.trim())) {
    throw new HttpProblem(
      415,
      'unsupported_media_type',
      'The body must be declared as JSON: send Content-Type: application/json.',
    );
  }
  return parse(await readBytes(c, mostBytes));
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
  // Counted while it comes in: a chunked body declares no length.
  for await (const chunk of (c.req.raw.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > mostBytes) throw tooLarge(mostBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(mostBytes: number): HttpProblem {
  return new HttpProblem(
    413,
    'too_large',
    `The body is larger than ${mostBytes} bytes; send fewer documents at a time, or start the server with a larger --max-body.`,
    // What is still on its way will not be read.
    { Connection: 'close' },
  );
}

function parse(bytes: Buffer): unknown {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
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
