import type { IncomingMessage } from 'node:http';
import { yieldToEventLoop } from '../../common/yield.js';
import { discardedBody, unparsedBytes, type ServiceLimits } from '../limits.js';
import { JsonMeter } from './json-meter.js';
import { HttpProblem } from './problem.js';

/** A request whose body is to be read. */
export interface BodySource {
  readonly request: IncomingMessage;
  /** Undefined for a chunked body. */
  readonly declaredBytes: number | undefined;
  /** Called with the bytes that have arrived so far. */
  readonly onReceived?: (bytes: number) => void;
}

/** A body that is held in memory. */
interface HeldBody {
  bytes: number;
  drop(): void;
}

/**
 * Reads the bodies of requests, and bounds the memory that they take until they are parsed. When there is no room, the
 * body that has been arriving for longest is given up: slow senders do not make other requests fail.
 */
export class BodyReader {
  readonly #held = new Set<HeldBody>();
  #bytes = 0;

  constructor(
    private readonly limits: Pick<ServiceLimits, 'bodyBytes' | 'documents' | 'values'>,
    private readonly mostBytes = Math.max(unparsedBytes, 2 * limits.bodyBytes),
  ) {}

  /** Reads a JSON body and returns what `parse` makes of its bytes. */
  async read<T>(source: BodySource, parse: (bytes: Buffer) => Promise<T>): Promise<T> {
    const { request, declaredBytes } = source;
    checkHead(request);
    const { bodyBytes } = this.limits;
    if ((declaredBytes ?? 0) > bodyBytes) throw tooLarge(bodyBytes);
    const held: HeldBody = { bytes: 0, drop: () => {} };
    this.#held.add(held);
    try {
      return await parse(await this.#receive(source, held));
    } finally {
      this.#held.delete(held);
      this.#bytes -= held.bytes;
    }
  }

  #receive({ request, onReceived }: BodySource, held: HeldBody): Promise<Buffer> {
    const { bodyBytes } = this.limits;
    const meter = new JsonMeter(this.limits);
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let isRefused = false;
      const refuse = (problem: unknown): void => {
        isRefused = true;
        chunks.length = 0;
        reject(problem as Error);
      };
      // A connection that ends with its answer would be reset while the client still sends.
      const refuseAfterBody = (problem: unknown): void => {
        isRefused = true;
        chunks.length = 0;
        const timer = setTimeout(() => refuse(problem), discardedBody.milliseconds);
        request.on('end', () => {
          clearTimeout(timer);
          refuse(problem);
        });
      };
      held.drop = () => refuse(tooSlow);
      request.on('data', (chunk: Buffer) => {
        // The rest of a refused body may still be coming.
        if (isRefused) return;
        try {
          meter.add(chunk);
        } catch (problem) {
          return refuseAfterBody(problem);
        }
        held.bytes += chunk.length;
        this.#bytes += chunk.length;
        if (held.bytes > bodyBytes) return refuse(tooLarge(bodyBytes));
        chunks.push(chunk);
        onReceived?.(held.bytes);
        if (this.#bytes > this.mostBytes) this.#makeRoom();
      });
      request.on('end', () => {
        if (isRefused) return;
        resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
        // The request keeps its listeners until its answer is sent.
        chunks.length = 0;
      });
      // A connection that is closed before the end is an error.
      request.on('error', reject);
    });
  }

  #makeRoom(): void {
    for (const body of this.#held) {
      if (this.#bytes <= this.mostBytes) return;
      this.#bytes -= body.bytes;
      body.bytes = 0;
      body.drop();
    }
  }
}

function checkHead({ headers }: IncomingMessage): void {
  if (!isJson(headers['content-type'])) {
    throw new HttpProblem(
      415,
      'unsupported_media_type',
      'The body must be declared as JSON: send Content-Type: application/json.',
    );
  }
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') {
    throw new HttpProblem(
      415,
      'unsupported_media_type',
      'Compressed bodies are not taken: send the body without Content-Encoding.',
      { 'Accept-Encoding': 'identity' },
    );
  }
}

function isJson(contentType: string | undefined): boolean {
  if (contentType === 'application/json') return true;
  const [type = ''] = (contentType ?? '').split(';');
  return /^application\/([\w.-]+\+)?json$/i.test(type.trim());
}

function tooLarge(maxBytes: number): HttpProblem {
  return new HttpProblem(
    413,
    'too_large',
    `The body is larger than ${maxBytes} bytes; send fewer documents at a time, or start the server with a larger --max-body.`,
  );
}

const tooSlow = new HttpProblem(
  429,
  'overloaded',
  'The body came too slowly while the server had no memory for more; try again after the seconds in Retry-After.',
  { 'Retry-After': '1' },
);

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

/** Bytes of a body that is decoded and parsed at once. */
const quickBytes = 1024 * 1024;

export async function parseJson(bytes: Buffer): Promise<unknown> {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw new HttpProblem(400, 'invalid_json', 'The body is not UTF-8.');
  }
  if (bytes.length > quickBytes) await yieldToEventLoop();
  try {
    return JSON.parse(text);
  } catch (error) {
    // The parser quotes the text around the mistake, which is the client's own.
    throw new HttpProblem(400, 'invalid_json', `The body is not JSON: ${(error as Error).message}.`);
  }
}
