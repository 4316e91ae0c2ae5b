import { constants, open, unlink, type FileHandle } from 'node:fs/promises';
import { BertQeError, corruptError, inputError, usageError } from './errors.js';
import { hashText } from './hash.js';
import { readFailure, systemCode, throwWriteFailure, writeFailure } from './io-errors.js';

/** Everything that the entries of a journal depend on, by name: hashes, and values as text. */
type JournalInputs = Readonly<Record<string, string>>;

export interface JournalOptions<Entry> {
  /** Name and version of the format of entries, such as `bert-qe rerank 1`. */
  readonly kind: string;
  readonly inputs: JournalInputs;
  /** The keys under which an entry is found again. */
  readonly keysOf: (entry: Entry) => readonly string[];
  /** A journal of other inputs, or a file that is no such journal: refused, or replaced by an empty journal. */
  readonly ifOther: 'refuse' | 'replace';
  /** Entries behind a damaged line are kept, since their order has no meaning. */
  readonly isUnordered?: boolean;
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
 * a torn last line is dropped. A damaged line is dropped with a warning, and with it all lines after it unless entries
 * are unordered. One process at a time may use a journal, and appends one entry after the other.
 */
export class Journal<Entry> {
  /** Position of each entry; its JSON is read again when it is asked for. */
  readonly #lines = new Map<string, Omit<Line, 'text'>>();
  /** Numbers of the lines that are damaged and stay in the file. */
  readonly #damaged = new Set<number>();
  #end = 0;

  private constructor(
    readonly path: string,
    private readonly options: JournalOptions<Entry>,
    private readonly file: FileHandle,
  ) {}

  /** Opens the journal in a file, or begins one. */
  static async open<Entry>(path: string, options: JournalOptions<Entry>): Promise<Journal<Entry>> {
    // 'r+' does not create the file, and 'a+' does not write at a position.
    const file = await open(path, constants.O_RDWR | constants.O_CREAT).catch(throwWriteFailure(path));
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
    this.#remember(entry, start, this.#end);
  }

  /** All entries, in the order in which they were appended. */
  async *entries(): AsyncGenerator<Entry> {
    let number = 0;
    for await (const { text } of wholeLines(this.file)) {
      if (++number === 1 || this.#damaged.has(number)) continue;
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
    const { kind, inputs, isUnordered = false } = this.options;
    let lines = 0;
    let isForeign = false;
    for await (const line of wholeLines(this.file)) {
      if (lines === 0) {
        isForeign = !this.#isAccepted(parseHeader(line.text, kind));
        if (isForeign) break;
      } else {
        const entry = parseEntry<Entry>(line.text);
        if (entry !== undefined) this.#remember(entry, line.start, line.end);
        else this.#damaged.add(lines + 1);
        if (entry === undefined && !isUnordered) break;
      }
      lines++;
      this.#end = line.end;
    }
    if (this.#damaged.size > 0) this.#warnOfDamage();
    if (!isUnordered) this.#damaged.clear();
    if (lines === 0) await this.#refuseForeignFile(isForeign);
    await this.file.truncate(this.#end);
    if (lines === 0) await this.#write(`${JSON.stringify({ journal: kind, inputs } satisfies Header)}\n`);
  }

  #remember(entry: Entry, start: number, end: number): void {
    for (const key of this.options.keysOf(entry)) this.#lines.set(key, { start, end });
  }

  #changed(): BertQeError {
    return corruptError(`${this.path} was changed while it was in use.`);
  }

  #warnOfDamage(): void {
    const [first] = this.#damaged;
    const others = this.#damaged.size - 1;
    const damage = `line ${first}${others > 0 ? ` and ${others} more` : ''}`;
    process.emitWarning(
      this.options.isUnordered
        ? `${this.path}: damaged in ${damage}. The other entries are kept; what is missing is done again.`
        : `${this.path}: line ${first} is damaged. The ${first - 2} entries before it are kept; ` +
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
    throw usageError(
      `${this.path} holds the unfinished work of a command with other inputs (${differing.join(', ')} differ). ` +
        'Run that command again to finish it, or delete the file to start anew.',
    );
  }

  /** Accepts an empty file and a header that was being written when the process was killed. */
  async #refuseForeignFile(isForeign: boolean): Promise<void> {
    if (this.options.ifOther === 'replace') return;
    const start = `{"journal":${JSON.stringify(this.options.kind)}`;
    const { buffer, bytesRead } = await this.file.read(Buffer.alloc(start.length), 0, start.length, 0);
    if (!isForeign && start.startsWith(buffer.toString('latin1', 0, bytesRead))) return;
    throw inputError(
      `${this.path} is in the way: it is not a journal of bert-qe, or its first line is damaged. ` +
        'Move it, or choose another output.',
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
