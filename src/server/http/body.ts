import { describeIssues } from '../../common/schema-issues.js';
import type { IncomingMessage } from 'node:http';
import type { z } from 'zod';
import { discardedBody } from '../limits.js';
import { HttpProblem } from './problem.js';

/** Reads the bytes of a body declared as JSON. `declaredBytes` is undefined for a chunked one. */
export function readJsonBytes(
  request: IncomingMessage,
  declaredBytes: number | undefined,
  maxBytes: number,
): Promise<Buffer> {
  if (!isJson(request.headers['content-type'])) {
    throw new HttpProblem(
      415,
      'unsupported_media_type',
      'The body must be declared as JSON: send Content-Type: application/json.',
    );
  }
  if ((declaredBytes ?? 0) > maxBytes) throw tooLarge(maxBytes);
  return readBytes(request, maxBytes);
}

function isJson(contentType: string | undefined): boolean {
  if (contentType === 'application/json') return true;
  const [type = ''] = (contentType ?? '').split(';');
  return /^application\/([\w.-]+\+)?json$/i.test(type.trim());
}

function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= maxBytes) return void chunks.push(chunk);
      chunks.length = 0;
      // The first time only: the rest of the body is still coming.
      if (bytes - chunk.length <= maxBytes) reject(tooLarge(maxBytes));
    });
    request.on('end', () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)));
    // A connection that is closed before the end is an error.
    request.on('error', reject);
  });
}

function tooLarge(maxBytes: number): HttpProblem {
  return new HttpProblem(
    413,
    'too_large',
    `The body is larger than ${maxBytes} bytes; send fewer documents at a time, or start the server with a larger --max-body.`,
  );
}

/**
 * Throws away what is still to come of a body. A body within the limit passes, and the connection serves the next
 * request; of any other, only as much as lets the client read the answer.
 */
export function discardBody(
  request: IncomingMessage,
  declaredBytes: number | undefined,
  maxBytes: number,
): void {
  if (declaredBytes === 0 || request.complete || request.destroyed) return;
  request.resume();
  if (declaredBytes !== undefined && declaredBytes <= maxBytes) return;
  const timer = setTimeout(() => request.socket.destroySoon(), discardedBody.milliseconds);
  timer.unref();
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > discardedBody.bytes) request.socket.destroySoon();
  });
  request.on('close', () => clearTimeout(timer));
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

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

/** Checks a value against a schema; the problem names the wrong fields. */
export function check<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const checked = schema.safeParse(value);
  if (checked.success) return checked.data;
  throw new HttpProblem(422, 'invalid_request', describeIssues(checked.error));
}
