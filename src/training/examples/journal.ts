import { appendFile, readFile } from 'node:fs/promises';
import { readFailure, systemCode, writeFailure } from '../../common/io-errors.js';
import { writeFileAtomic } from '../../common/atomic.js';

interface Line<Found> {
  readonly query: string;
  readonly found: Found;
}

/**
 * What models found before training, such as best passages, on disk, a line per query: it takes them as long as training
 * does. A kill can cost the line that is being written, never an earlier one. The first line holds the key of what it was
 * made from.
 */
export class Journal<Found> {
  private constructor(
    private readonly file: string,
    private readonly known: Map<string, Found>,
  ) {}

  static async open<Found>(file: string, key: string): Promise<Journal<Found>> {
    const head = `${JSON.stringify({ key })}\n`;
    const text = await read(file);
    const lines = text.split('\n');
    // What follows the last line end was cut off in the middle.
    const torn = lines.pop() !== '';
    if (`${lines[0]}\n` !== head) {
      await writeFileAtomic(file, head);
      return new Journal(file, new Map());
    }
    if (torn) await writeFileAtomic(file, lines.map((line) => `${line}\n`).join(''));
    const known = lines.slice(1).map((line) => JSON.parse(line) as Line<Found>);
    return new Journal(file, new Map(known.map(({ query, found }) => [query, found])));
  }

  get(query: string): Found | undefined {
    return this.known.get(query);
  }

  async add(query: string, found: Found): Promise<void> {
    try {
      await appendFile(this.file, `${JSON.stringify({ query, found } satisfies Line<Found>)}\n`);
    } catch (error) {
      throw writeFailure(this.file, error);
    }
    this.known.set(query, found);
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
