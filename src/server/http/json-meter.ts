import { fieldNameBytes, jsonDepth, objectFields, type ServiceLimits } from '../limits.js';
import { HttpProblem } from './problem.js';

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const backslash = 0x5c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/**
 * The structure of a JSON body, counted as its bytes arrive and before it is parsed: nesting, elements of arrays, fields
 * of objects, values in all. Memory and time to parse and to validate a body grow with these. The bytes need not be
 * JSON: the parser finds that out.
 */
export class JsonMeter {
  /** Commas of each open array and object. */
  readonly #commas = new Uint32Array(jsonDepth + 1);
  /** The most commas of each open array and object. */
  readonly #most = new Uint32Array(jsonDepth + 1);
  #depth = 0;
  #values = 1;
  #isInText = false;
  /** True after a backslash at the end of a chunk. */
  #isEscaped = false;
  /** Bytes of the last text. */
  #textBytes = 0;

  constructor(private readonly limits: Pick<ServiceLimits, 'documents' | 'values'>) {}

  /** Values so far. */
  get values(): number {
    return this.#values;
  }

  /** Counts the next bytes; throws a 413 when there is too much of something. */
  add(bytes: Uint8Array): void {
    const { length } = bytes;
    let at = 0;
    if (this.#isEscaped && length > 0) {
      this.#isEscaped = false;
      at = 1;
    }
    while (at < length) {
      if (this.#isInText) {
        at = this.#skipText(bytes, at);
        continue;
      }
      const byte = bytes[at++];
      // Most bytes outside texts are digits, spaces and letters.
      if (byte === quote) {
        this.#isInText = true;
        this.#textBytes = 0;
      } else if (byte === comma) this.#next();
      else if (byte === colon) this.#checkName();
      else if (byte === openBracket) this.#open(this.limits.documents);
      else if (byte === openBrace) this.#open(objectFields);
      else if ((byte === closeBracket || byte === closeBrace) && this.#depth > 0) this.#depth--;
    }
  }

  /** The position after a text, or the end of the bytes. */
  #skipText(bytes: Uint8Array, start: number): number {
    const { length } = bytes;
    let at = start;
    while (at < length) {
      const byte = bytes[at++];
      if (byte === quote) {
        this.#isInText = false;
        this.#textBytes += at - start;
        return at;
      }
      if (byte === backslash) at++;
    }
    this.#isEscaped = at > length;
    this.#textBytes += length - start;
    return length;
  }

  /** A text before a colon is the name of a field. */
  #checkName(): void {
    if (this.#textBytes > fieldNameBytes)
      throw tooMuch(`has a field name of more than ${fieldNameBytes} bytes`);
  }

  #open(elements: number): void {
    if (++this.#depth > jsonDepth) throw tooMuch(`is nested deeper than ${jsonDepth} levels`);
    this.#commas[this.#depth] = 0;
    this.#most[this.#depth] = elements - 1;
    this.#count();
  }

  #next(): void {
    if (++this.#commas[this.#depth] > this.#most[this.#depth] && this.#depth > 0) {
      const most = this.#most[this.#depth] + 1;
      throw tooMuch(
        most === this.limits.documents
          ? `has more than ${most} documents or other elements in a list; send fewer at a time, or start the server with a larger --max-documents`
          : `has an object with more than ${most} fields`,
      );
    }
    this.#count();
  }

  #count(): void {
    const { values } = this.limits;
    if (++this.#values > values) {
      throw tooMuch(
        `has more than ${values} values; send fewer documents at a time, or start the server with a larger --max-values`,
      );
    }
  }
}

function tooMuch(what: string): HttpProblem {
  return new HttpProblem('too_large', `The body ${what}.`);
}
