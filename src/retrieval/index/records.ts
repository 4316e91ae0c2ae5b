import type { BlockFile, BlockWriter } from './block-file.js';

/** Writes records, numbered from 0: one file has their bytes, another where each of them ends (f64). */
export class RecordWriter {
  readonly #end = Buffer.alloc(8);

  constructor(
    private readonly records: BlockWriter,
    private readonly ends: BlockWriter,
  ) {}

  add(record: Uint8Array): void {
    this.records.write(record);
    this.#end.writeDoubleLE(this.records.position, 0);
    this.ends.write(this.#end);
  }
}

/** Reads what {@link RecordWriter} wrote. */
export class RecordFile {
  constructor(
    private readonly records: BlockFile,
    private readonly ends: BlockFile,
  ) {}

  get count(): number {
    return this.ends.bytes / 8;
  }

  get(number: number): Uint8Array {
    return this.records.read(number === 0 ? 0 : this.#end(number - 1), this.#end(number));
  }

  #end(number: number): number {
    const bytes = this.ends.read(8 * number, 8 * number + 8);
    return new DataView(bytes.buffer, bytes.byteOffset, 8).getFloat64(0, true);
  }
}
