import { createHash } from 'node:crypto';
import { open, unlink, type FileHandle } from 'node:fs/promises';
import { BertQeError } from '../common/errors.js';
import { systemCode, writeFailure } from '../common/io-errors.js';

/** The lines of a finished query in the run and, where they are wanted, in the explanations. */
export interface WrittenQuery {
  readonly query: string;
  readonly run: string;
  readonly explanation?: string;
}

/** Everything that the results of a run depend on, by name: hashes, and values as text. */
export type RunInputs = Readonly<Record<string, string>>;

interface Header {
  readonly journal: 'bert-qe rerank 1';
  readonly inputs: RunInputs;
}

/**
 * Finished queries beside the file that is being made: a line each, appended and flushed to the disk before the
 * next query starts. Whoever runs the same command again goes on after the last whole line; a line that a kill or a
 * power cut left torn is dropped. A journal made from other inputs is refused, not mixed in.
 */
export class RunJournal {
  readonly #finished = new Set<string>();
  #end = 0;

  private constructor(
    readonly path: string,
    private readonly file: FileHandle,
  ) {}

  static async open(path: string, inputs: RunInputs): Promise<RunJournal> {
    let file: FileHandle;
    try {
      file = await open(path, 'a+').then(async (created) => {
        await created.close();
        return open(path, 'r+');
      });
    } catch (error) {
      throw writeFailure(path, error);
    }
    const journal = new RunJournal(path, file);
    try {
      await journal.#recover(inputs);
    } catch (error) {
      await file.close();
      throw error;
    }
    return journal;
  }

  /** Queries that need not be run again. */
  get finished(): number {
    return this.#finished.size;
  }

  has(query: string): boolean {
    return this.#finished.has(query);
  }

  async append(entry: WrittenQuery): Promise<void> {
    const body = JSON.stringify(entry);
    await this.#write(`${checksum(body)} ${body}\n`);
    this.#finished.add(entry.query);
  }

  /** The finished queries, in the order in which they were finished. */
  async *entries(): AsyncGenerator<WrittenQuery> {
    let first = true;
    for await (const { text } of wholeLines(this.file)) {
      if (!first) yield parseEntry(text)!;
      first = false;
    }
  }

  async close(): Promise<void> {
    await this.file.close();
  }

  /** Deletes the file, when the results are where they belong. */
  async discard(): Promise<void> {
    await unlink(this.path);
  }

  /** Takes over what an earlier run finished and cuts off what it left torn. */
  async #recover(inputs: RunInputs): Promise<void> {
    let header: Header | undefined;
    for await (const { text, end } of wholeLines(this.file)) {
      if (!header) {
        header = parseHeader(text);
        if (!header) break;
        this.#refuseOthers(header.inputs, inputs);
      } else {
        const entry = parseEntry(text);
        if (!entry) break;
        this.#finished.add(entry.query);
      }
      this.#end = end;
    }
    if (!header && (await this.file.stat()).size > 0 && !(await this.#isTornHeader())) {
      throw new BertQeError(
        'input',
        `${this.path} is in the way: it is not a journal of bert-qe. Move it, or choose another --out.`,
      );
    }
    await this.file.truncate(this.#end);
    if (!header)
      await this.#write(`${JSON.stringify({ journal: 'bert-qe rerank 1', inputs } satisfies Header)}\n`);
  }

  /** A header that was being written when the process was killed. */
  async #isTornHeader(): Promise<boolean> {
    const start = '{"journal":"bert-qe rerank';
    const { buffer, bytesRead } = await this.file.read(Buffer.alloc(start.length), 0, start.length, 0);
    return start.startsWith(buffer.toString('latin1', 0, bytesRead));
  }

  #refuseOthers(journal: RunInputs, now: RunInputs): void {
    const names = [...new Set([...Object.keys(journal), ...Object.keys(now)])];
    const other = names.filter((name) => journal[name] !== now[name]);
    if (other.length === 0) return;
    throw new BertQeError(
      'usage',
      `${this.path} holds the unfinished work of a command with other inputs (${other.join(', ')} differ). ` +
        'Run that command again to finish it, or delete the file to start anew.',
    );
  }

  async #write(line: string): Promise<void> {
    const bytes = Buffer.from(line);
    try {
      for (let written = 0; written < bytes.length;) {
        written += (await this.file.write(bytes, written, bytes.length - written, this.#end + written))
          .bytesWritten;
      }
      await this.file.datasync();
    } catch (error) {
      throw systemCode(error) ? writeFailure(this.path, error) : error;
    }
    this.#end += bytes.length;
  }
}

function parseHeader(line: string): Header | undefined {
  try {
    const header = JSON.parse(line) as Header;
    return header.journal === 'bert-qe rerank 1' ? header : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined for a line that is not what was written: cut off, or damaged. */
function parseEntry(line: string): WrittenQuery | undefined {
  const space = line.indexOf(' ');
  const body = line.slice(space + 1);
  return line.slice(0, space) === checksum(body) ? (JSON.parse(body) as WrittenQuery) : undefined;
}

function checksum(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** The lines of a file that end with a newline, each with the offset after it; one line in memory at a time. */
async function* wholeLines(file: FileHandle): AsyncGenerator<{ text: string; end: number }> {
  const newline = 10;
  const block = Buffer.alloc(1 << 18);
  let parts: Buffer[] = [];
  let offset = 0;
  for (;;) {
    const { bytesRead } = await file.read(block, 0, block.length, offset);
    if (bytesRead === 0) return;
    let from = 0;
    for (let at = block.indexOf(newline); at >= 0 && at < bytesRead; at = block.indexOf(newline, from)) {
      parts.push(block.subarray(from, at));
      const text = Buffer.concat(parts).toString('utf8');
      parts = [];
      from = at + 1;
      yield { text, end: offset + from };
    }
    // The block is read into again.
    parts.push(Buffer.from(block.subarray(from, bytesRead)));
    offset += bytesRead;
  }
}
