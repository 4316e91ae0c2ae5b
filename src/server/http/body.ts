import type { IncomingMessage } from 'node:http';
import { getHeapStatistics } from 'node:v8';
import type { Reservation } from '../scheduling/index.js';
import { discardedBody, heldBytes, type ServiceLimits } from '../limits.js';
import { BodyText } from './body-text.js';
import { HeldMemory, type HeldBody } from './held-memory.js';
import { JsonMeter } from './json-meter.js';
import { HttpProblem } from './problem.js';

/** A request whose body is to be read: the part of a `RequestContext` that is needed. */
export interface BodySource {
  readonly request: IncomingMessage;
  /** Undefined for a chunked body. */
  readonly bodyBytes: number | undefined;
  /** The client that the memory is held for. */
  readonly client: string;
  readonly reservation?: Pick<Reservation, 'grow'> | undefined;
  /** The memory of the body. It is held until the owner of the request releases it. */
  held?: HeldBody | undefined;
  /** Gives the request up after its body was read. */
  end?(reason: 'memory'): void;
}

/** Memory that a JSON value takes in addition to its text. */
const bytesPerValue = 64;

/** Bytes of bodies after which a turn of the event loop ends; each body may have had a piece by then. */
const bytesPerTurn = 256 * 1024;

/** Reads the bodies of requests, and bounds the memory that these take together. */
export class BodyReader {
  readonly #memory: HeldMemory;
  /** Bytes that were read in this turn of the event loop. */
  #bytesInTurn = 0;

  constructor(
    private readonly limits: Pick<ServiceLimits, 'bodyBytes' | 'documents' | 'values'>,
    mostBytes = Math.max(Math.min(heldBytes, getHeapStatistics().heap_size_limit / 4), 2 * limits.bodyBytes),
  ) {
    this.#memory = new HeldMemory(mostBytes);
  }

  /** The text of a JSON body. */
  async read(source: BodySource): Promise<string> {
    checkHead(source.request);
    const { bodyBytes } = this.limits;
    if ((source.bodyBytes ?? 0) > bodyBytes) throw tooLarge(bodyBytes);
    const held = this.#memory.open(source.client);
    source.held = held;
    const { text, values } = await this.#receive(source, held);
    held.isWhole = true;
    held.drop = () => source.end?.('memory');
    held.add(bytesPerValue * values);
    return text;
  }

  /** Lets other requests come to their turn while many bytes arrive. */
  #pauseAfterMuch(request: IncomingMessage, bytes: number): void {
    if (this.#bytesInTurn === 0) setImmediate(() => (this.#bytesInTurn = 0));
    this.#bytesInTurn += bytes;
    if (this.#bytesInTurn < bytesPerTurn) return;
    request.pause();
    setImmediate(() => request.resume());
  }

  #receive({ request, reservation }: BodySource, held: HeldBody): Promise<{ text: string; values: number }> {
    const { bodyBytes } = this.limits;
    const meter = new JsonMeter(this.limits);
    return new Promise((resolve, reject) => {
      const text = new BodyText();
      let pieces = 0;
      let isRefused = false;
      const refuse = (problem: unknown): void => {
        isRefused = true;
        text.clear();
        reject(problem as Error);
      };
      // A connection that ends with its answer would be reset while the client still sends.
      const refuseAfterBody = (problem: unknown): void => {
        isRefused = true;
        text.clear();
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
        if (held.bytes + chunk.length > bodyBytes) return refuse(tooLarge(bodyBytes));
        if (++pieces > freePieces && held.bytes < pieces * pieceBytes) return refuse(tooFine);
        try {
          meter.add(chunk);
          text.add(chunk);
        } catch (problem) {
          return refuseAfterBody(problem instanceof HttpProblem ? problem : notUtf8);
        }
        held.add(chunk.length);
        reservation?.grow(held.bytes);
        this.#pauseAfterMuch(request, chunk.length);
      });
      request.on('end', () => {
        if (isRefused) return;
        try {
          resolve({ text: text.end(), values: meter.values });
        } catch {
          reject(notUtf8);
        }
        // The request keeps its listeners until its answer is sent.
        text.clear();
      });
      // A connection that is closed before the end is an error.
      request.on('error', reject);
    });
  }
}

function checkHead({ headers }: IncomingMessage): void {
  if (!isJson(headers['content-type'])) {
    throw new HttpProblem(
      'unsupported_media_type',
      'The body must be declared as JSON: send Content-Type: application/json.',
    );
  }
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') {
    throw new HttpProblem(
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
    'too_large',
    `The body is larger than ${maxBytes} bytes; send fewer documents at a time, or start the server with a larger --max-body.`,
  );
}

/** Pieces in which any body may arrive, and the mean bytes that further pieces must have, because each takes time. */
const freePieces = 10_000;
const pieceBytes = 16;

const tooFine = new HttpProblem(
  'too_large',
  'The body comes in pieces of a few bytes; send it in larger chunks.',
);

const tooSlow = new HttpProblem(
  'overloaded',
  'The body came too slowly while the server had no memory for more; try again after the seconds in Retry-After.',
  { 'Retry-After': '1' },
);

/**
 * Discards the rest of a body. A body within the limit is discarded to its end, and the connection serves the next
 * request. A larger one is discarded until the client has had time to read the answer; then the connection is closed.
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

const notUtf8 = new HttpProblem('invalid_json', 'The body is not UTF-8.');

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The parser quotes the text around the mistake, which is the client's own.
    throw new HttpProblem('invalid_json', `The body is not JSON: ${(error as Error).message}.`);
  }
}
