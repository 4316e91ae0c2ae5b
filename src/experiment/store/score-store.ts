import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Journal } from '../../common/journal.js';
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

/** An entry of the journal: rows that were scored together, or the record of a query and system. */
type Entry = { readonly rows: readonly WrittenRow[] } | { readonly record: string; readonly value: unknown };

interface WrittenRow extends Omit<ScoreRow, 'scores'> {
  readonly key: string;
  /** Floats of four bytes, little-endian, in base64. */
  readonly scores: string;
}

/**
 * The model scores of an experiment on disk, under hashes of what they were computed from: rows of scores, and a
 * record per query and system. They are the entries of a journal, so each has a checksum and damaged ones are computed
 * again. What was put survives a kill at any moment. Only the keys are in memory.
 */
export class ScoreStore {
  /** The end of the last append: the journal takes one after the other. */
  #appended: Promise<void> = Promise.resolve();

  private constructor(private readonly journal: Journal<Entry>) {}

  static async open(file: string): Promise<ScoreStore> {
    await mkdir(dirname(file), { recursive: true });
    const journal = await Journal.open<Entry>(file, {
      kind: 'bert-qe scores 1',
      inputs: {},
      keysOf: (entry) => ('rows' in entry ? entry.rows.map(({ key }) => key) : [entry.record]),
      ifOther: 'refuse',
      isUnordered: true,
    });
    return new ScoreStore(journal);
  }

  async row(key: string): Promise<ScoreRow | undefined> {
    const entry = await this.journal.get(key);
    const row = entry && 'rows' in entry ? entry.rows.find((each) => each.key === key) : undefined;
    return row && { ...row, scores: floatsOf(row.scores) };
  }

  /** Stores all rows or, should the process be killed, none. */
  async putRows(rows: Iterable<readonly [string, ScoreRow]>): Promise<void> {
    const written = Array.from(rows, ([key, row]) => ({ ...row, key, scores: base64Of(row.scores) }));
    await this.#append({ rows: written });
  }

  /** True where nothing was scored yet. */
  get isEmpty(): boolean {
    return this.journal.size === 0;
  }

  hasRecord(key: string): boolean {
    return this.journal.has(key);
  }

  async record<T>(key: string): Promise<T | undefined> {
    const entry = await this.journal.get(key);
    return entry && 'record' in entry ? (entry.value as T) : undefined;
  }

  async putRecord(key: string, value: unknown): Promise<void> {
    await this.#append({ record: key, value });
  }

  #append(entry: Entry): Promise<void> {
    const append = this.#appended.then(() => this.journal.append(entry));
    this.#appended = append.catch(() => undefined);
    return append;
  }

  async close(): Promise<void> {
    await this.journal.close();
  }
}

function base64Of(scores: Float32Array): string {
  return Buffer.from(scores.buffer, scores.byteOffset, scores.byteLength).toString('base64');
}

function floatsOf(text: string): Float32Array {
  const bytes = Uint8Array.from(Buffer.from(text, 'base64'));
  return new Float32Array(bytes.buffer);
}
