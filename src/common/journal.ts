import { open, unlink, type FileHandle } from 'node:fs/promises';
import { BertQeError } from './errors.js';
import { hashText } from './hash.js';
import { readFailure, systemCode, writeFailure } from './io-errors.js';

/** Everything that the entries of a journal depend on, by name: hashes, and values as text. */
export type JournalInputs = Readonly<Record<string, string>>;

export interface JournalOptions<Entry> {
  /** Name and version of the format of entries, such as `bert-qe rerank 1`. */
  readonly kind: string;
  readonly inputs: JournalInputs;
  /** The key under which an entry is found again. */
  readonly keyOf: (entry: Entry) => string;
  /** A journal of other inputs, or a file that is no such journal: refused, or replaced by an empty journal. */
  readonly ifOther: 'refuse' | 'replace';
}

interface Header {
  readonly journal: string;
  readonly inputs: JournalInputs;
}

interface Line {
  readonly text: string;
  /** Offsets of its first byte and of the byte after its newline. */
  readonly start: number;
  readonly end: number;
}

/**
 * Finished pieces of long work in an append-only file: a header with the inputs, then one JSON entry per line, with a
 * checksum. `append` returns when the entry is on the disk. After a crash the work goes on behind the last whole line;
 * a torn last line is dropped. A damaged line and all after it are dropped with a warning. One process at a time may
 * use a journal.
 */
export class Journal<Entry> {
  /** Position of each entry; its JSON is read again when it is asked for. */
  readonly #lines = new Map<string, Omit<Line, 'text'>>();
  #end = 0;

  private constructor(
    readonly path: string,
    private readonly options: JournalOptions<Entry>,
    private readonly file: FileHandle,
  ) {}

  /** Opens the journal in a file, or begins one. */
  static async open<Entry>(path: string, options: JournalOptions<Entry>): Promise<Journal<Entry>> {
    let file: FileHandle;
    try {
      // 'r+' alone does not create the file, and 'a+' does not write at a position.
      await (await open(path, 'a+')).close();
      file = await open(path, 'r+');
    } catch (error) {
      throw writeFailure(path, error);
    }
    const journal = new Journal<Entry>(path, options, file);
    try {
      await journal.#recover();
    } catch (error) {
      await file.close();
      throw systemCode(error) ? readFailure(path, error) : error;
    }
    return journal;
  }

  /** Number of different keys. */
  get size(): number {
    return this.#lines.size;
  }

  has(key: string): boolean {
    return this.#lines.has(key);
  }

  /** The last entry of a key. */
  async get(key: string): Promise<Entry | undefined> {
    const line = this.#lines.get(key);
    if (!line) return undefined;
    const bytes = Buffer.alloc(line.end - line.start - 1);
    await this.file.read(bytes, 0, bytes.length, line.start);
    const entry = parseEntry<Entry>(bytes.toString('utf8'));
    if (entry === undefined) throw this.#changed();
    return entry;
  }

  /** Writes an entry and flushes it to the disk. */
  async append(entry: Entry): Promise<void> {
    const start = this.#end;
    const body = JSON.stringify(entry);
    await this.#write(`${checksum(body)} ${body}\n`);
    this.#lines.set(this.options.keyOf(entry), { start, end: this.#end });
  }

  /** All entries, in the order in which they were appended. */
  async *entries(): AsyncGenerator<Entry> {
    for await (const { text, start } of wholeLines(this.file)) {
      if (start === 0) continue;
      const entry = parseEntry<Entry>(text);
      if (entry === undefined) throw this.#changed();
      yield entry;
    }
  }

  async close(): Promise<void> {
    await this.file.close();
  }

  /** Deletes the file, when its entries are no longer needed. */
  async discard(): Promise<void> {
    await unlink(this.path);
  }

  /** Takes over the whole lines of an earlier run and cuts off the rest. */
  async #recover(): Promise<void> {
    const { keyOf, kind, inputs } = this.options;
    let hasHeader = false;
    let entries = 0;
    for await (const line of wholeLines(this.file)) {
      if (hasHeader) {
        const entry = parseEntry<Entry>(line.text);
        if (entry === undefined) {
          this.#warnOfDamage(entries);
          break;
        }
        this.#lines.set(keyOf(entry), { start: line.start, end: line.end });
        entries++;
      } else {
        if (!this.#isAccepted(parseHeader(line.text, kind))) break;
        hasHeader = true;
      }
      this.#end = line.end;
    }
    if (!hasHeader) await this.#refuseForeignFile();
    await this.file.truncate(this.#end);
    if (!hasHeader) await this.#write(`${JSON.stringify({ journal: kind, inputs } satisfies Header)}\n`);
  }

  #changed(): BertQeError {
    return new BertQeError('corrupt', `${this.path} was changed while it was in use.`);
  }

  #warnOfDamage(kept: number): void {
    process.emitWarning(
      `${this.path}: line ${kept + 2} is damaged. The ${kept} entries before it are kept; ` +
        'what follows is done again.',
    );
  }

  #isAccepted(header: Header | undefined): boolean {
    if (!header) return false;
    const { inputs, ifOther } = this.options;
    const names = [...new Set([...Object.keys(header.inputs), ...Object.keys(inputs)])];
    const differing = names.filter((name) => header.inputs[name] !== inputs[name]);
    if (differing.length === 0) return true;
    if (ifOther === 'replace') return false;
    throw new BertQeError(
      'usage',
      `${this.path} holds the unfinished work of a command with other inputs (${differing.join(', ')} differ). ` +
        'Run that command again to finish it, or delete the file to start anew.',
    );
  }

  /** Accepts an empty file and a header that was being written when the process was killed. */
  async #refuseForeignFile(): Promise<void> {
    if (this.options.ifOther === 'replace') return;
    const start = `{"journal":${JSON.stringify(this.options.kind)}`;
    const { buffer, bytesRead } = await this.file.read(Buffer.alloc(start.length), 0, start.length, 0);
    if (start.startsWith(buffer.toString('latin1', 0, bytesRead))) return;
    throw new BertQeError(
      'input',
      `${this.path} is in the way: it is not a journal of bert-qe. Move it, or choose another output.`,
    );
  }

  async #write(line: string): Promise<void> {
    const bytes = Buffer.from(line);
    try {
      for (let written = 0; written < bytes.length;) {
        const { bytesWritten } = await this.file.write(
          bytes,
          written,
          bytes.length - written,
          this.#end + written,
        );
        written += bytesWritten;
      }
      await this.file.datasync();
    } catch (error) {
      throw systemCode(error) ? writeFailure(this.path, error) : error;
    }
    this.#end += bytes.length;
  }
}

function parseHeader(line: string, kind: string): Header | undefined {
  try {
    const header = JSON.parse(line) as Header;
    const { inputs } = header;
    return header.journal === kind && typeof inputs === 'object' && inputs !== null ? header : undefined;
  } catch {
    return undefined;
  }
}

/** The entry of a line; undefined where the checksum is wrong. */
function parseEntry<Entry>(line: string): Entry | undefined {
  const space = line.indexOf(' ');
  const body = line.slice(space + 1);
  return line.slice(0, space) === checksum(body) ? (JSON.parse(body) as Entry) : undefined;
}

function checksum(text: string): string {
  return hashText(text).slice(0, 16);
}

/** The lines of a file that end with a newline; one line is in memory at a time. */
async function* wholeLines(file: FileHandle): AsyncGenerator<Line> {
  const newline = 10;
  const block = Buffer.alloc(1 << 18);
  let parts: Buffer[] = [];
  let offset = 0;
  let start = 0;
  for (;;) {
    const { bytesRead } = await file.read(block, 0, block.length, offset);
    if (bytesRead === 0) return;
    let from = 0;
    for (let at = block.indexOf(newline); at >= 0 && at < bytesRead; at = block.indexOf(newline, from)) {
      parts.push(block.subarray(from, at));
      const text = Buffer.concat(parts).toString('utf8');
      parts = [];
      from = at + 1;
      yield { text, start, end: offset + from };
      start = offset + from;
    }
    // The block is read into again.
    parts.push(Buffer.from(block.subarray(from, bytesRead)));
    offset += bytesRead;
  }
}
