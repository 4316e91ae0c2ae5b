import { appendFile, readFile } from 'node:fs/promises';
import { readFailure, systemCode, writeFailure, writeFileAtomic } from '../../files/index.js';

/** A candidate's best passage and, with a teacher, the teacher's probability. */
export interface Passage {
  readonly document: string;
  readonly passage: string;
  readonly teacher?: number;
}

interface Line {
  readonly query: string;
  readonly passages: readonly Passage[];
}

/**
 * Best passages on disk, a line per query: choosing them takes a model as long as training does. A kill can cost the
 * line that is being written, never an earlier one. The first line holds the key of what they were made from.
 */
export class PassageJournal {
  private constructor(
    private readonly file: string,
    private readonly known: Map<string, readonly Passage[]>,
  ) {}

  static async open(file: string, key: string): Promise<PassageJournal> {
    const head = `${JSON.stringify({ key })}\n`;
    const text = await read(file);
    const lines = text.split('\n');
    // What follows the last line end was cut off in the middle.
    const torn = lines.pop() !== '';
    if (`${lines[0]}\n` !== head) {
      await writeFileAtomic(file, head);
      return new PassageJournal(file, new Map());
    }
    if (torn) await writeFileAtomic(file, lines.map((line) => `${line}\n`).join(''));
    const known = lines.slice(1).map((line) => JSON.parse(line) as Line);
    return new PassageJournal(file, new Map(known.map(({ query, passages }) => [query, passages])));
  }

  get(query: string): readonly Passage[] | undefined {
    return this.known.get(query);
  }

  async add(query: string, passages: readonly Passage[]): Promise<void> {
    try {
      await appendFile(this.file, `${JSON.stringify({ query, passages } satisfies Line)}\n`);
    } catch (error) {
      throw writeFailure(this.file, error);
    }
    this.known.set(query, passages);
  }
}

async function read(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return '';
    throw readFailure(file, error);
  }
}
