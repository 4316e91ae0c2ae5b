import { createHash, timingSafeEqual } from 'node:crypto';
import { usageError } from '../../common/errors.js';

/** The API keys, kept as hashes and compared in constant time. */
export class ApiKeys {
  readonly #hashes: readonly Buffer[];

  constructor(keys: readonly string[]) {
    if (!keys.every((key) => /^[\x21-\x7e]+$/.test(key))) {
      throw usageError(
        'An API key has spaces or other characters that no request can send; use ASCII letters, digits and signs.',
      );
    }
    this.#hashes = keys.map(hash);
  }

  get isEmpty(): boolean {
    return this.#hashes.length === 0;
  }

  /** A name for the owner of a key, for fairness and the log; undefined if the key is missing or wrong. */
  owner(authorization: string | undefined): string | undefined {
    if (this.isEmpty) return undefined;
    const [, key] = /^Bearer +(\S+) *$/i.exec(authorization ?? '') ?? [];
    if (key === undefined) return undefined;
    const given = hash(key);
    let isKnown = false;
    // Every key is compared, so that the time does not depend on the key.
    for (const known of this.#hashes) if (timingSafeEqual(known, given)) isKnown = true;
    return isKnown ? `key:${given.toString('hex').slice(0, 12)}` : undefined;
  }
}

function hash(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
