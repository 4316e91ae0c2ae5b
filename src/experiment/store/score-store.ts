import { open, type Database, type RootDatabase } from 'lmdb';
import type { Timing } from './timing.js';

/** The scores of one text against many, with their cost. */
export interface ScoreRow {
  readonly scores: Float32Array;
  /** Tokens of the pairs, without padding; 0 where they are not known. */
  readonly tokens: number;
  readonly flops: number;
  /** The time that computing them took; absent in stores that were written without it. */
  readonly timing?: Timing | undefined;
}

const headerBytes = 16;

/**
 * The model scores of an experiment on disk, under hashes of what they were computed from: rows of scores, and a
 * record per query and system. LMDB maps the file into memory, so the process stays small however much is stored.
 * Committed rows and records survive a kill at any moment.
 */
export class ScoreStore {
  readonly #root: RootDatabase<Buffer, Buffer>;
  readonly #scores: Database<Buffer, Buffer>;
  readonly #records: Database<Buffer, Buffer>;
  /** The times of rows, under the keys of the rows. */
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

  /** Stores all rows in one transaction. */
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
