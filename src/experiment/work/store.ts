import { open, type Database, type RootDatabase } from 'lmdb';
import type { Timing } from './timing.js';

/** The scores of one text against many, and what computing them cost. */
export interface ScoreRow {
  readonly scores: Float32Array;
  /** Tokens that the model was fed, without padding; 0 where they cannot be counted. */
  readonly tokens: number;
  readonly flops: number;
  /** What it took when it was computed; absent in stores from before this was measured. */
  readonly timing?: Timing | undefined;
}

const headerBytes = 16;

/**
 * Everything expensive, on disk, under the hash of what it was made from: rows of model scores, and what was
 * gathered per query from them. LMDB maps the file, so memory stays bounded however much is kept; what was
 * committed survives a kill at any moment.
 */
export class WorkStore {
  readonly #root: RootDatabase<Buffer, Buffer>;
  readonly #scores: Database<Buffer, Buffer>;
  readonly #records: Database<Buffer, Buffer>;
  /** Of rows, under their keys. */
  readonly #timings: Database<Buffer, Buffer>;

  constructor(folder: string) {
    this.#root = open({
      path: folder,
      noSubdir: false,
      maxDbs: 3,
      encoding: 'binary',
      keyEncoding: 'binary',
    });
    const table = (name: string) =>
      this.#root.openDB<Buffer, Buffer>(name, { encoding: 'binary', keyEncoding: 'binary' });
    this.#scores = table('scores');
    this.#records = table('records');
    this.#timings = table('timings');
  }

  row(key: Buffer): ScoreRow | undefined {
    const found = this.#scores.get(key);
    if (!found) return undefined;
    const scores = new Float32Array((found.length - headerBytes) / 4);
    Buffer.from(scores.buffer).set(found.subarray(headerBytes));
    const timed = this.#timings.get(key);
    const timing = timed && (JSON.parse(timed.toString('utf8')) as Timing);
    return { tokens: found.readDoubleLE(0), flops: found.readDoubleLE(8), scores, timing };
  }

  /** All of them or, should the process die, none. */
  putRows(rows: Iterable<readonly [Buffer, ScoreRow]>): void {
    this.#root.transactionSync(() => {
      for (const [key, { tokens, flops, scores, timing }] of rows) {
        const value = Buffer.alloc(headerBytes + scores.byteLength);
        value.writeDoubleLE(tokens, 0);
        value.writeDoubleLE(flops, 8);
        value.set(new Uint8Array(scores.buffer, scores.byteOffset, scores.byteLength), headerBytes);
        this.#scores.putSync(key, value);
        if (timing) this.#timings.putSync(key, Buffer.from(JSON.stringify(timing)));
      }
    });
  }

  hasRecord(key: string): boolean {
    return this.#records.doesExist(Buffer.from(key, 'hex'));
  }

  record<T>(key: string): T | undefined {
    const found = this.#records.get(Buffer.from(key, 'hex'));
    return found && (JSON.parse(found.toString('utf8')) as T);
  }

  putRecord(key: string, value: unknown): void {
    this.#records.putSync(Buffer.from(key, 'hex'), Buffer.from(JSON.stringify(value)));
  }

  async close(): Promise<void> {
    await this.#root.close();
  }
}
