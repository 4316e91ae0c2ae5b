import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { BertQeError } from '../common/errors.js';
import { readFailure, systemCode, writeFailure } from '../common/io-errors.js';
import { writeFileAtomic } from '../common/atomic.js';
import { type Configuration, requireSame } from './configuration.js';
import type { History } from './history.js';

/** `last.json`: how far a training is, and which files belong to that. */
export interface Saved extends History {
  readonly format: 'bert-qe-checkpoint';
  readonly version: 1;
  readonly configuration: Configuration;
  /** Steps done. */
  readonly step: number;
  /** Seconds spent on steps so far, over all processes. */
  readonly seconds: number;
  /** Files in the same folder: the state to go on from and, with validation, the best weights so far. */
  readonly state: string;
  readonly best: string | null;
}

/**
 * The folder of a training under way. Large files are written first, under names of their own; then `last.json`, which
 * names them, is replaced; then files it no longer names go. Whatever ends the process in between, `last.json` and its
 * files are a whole.
 */
export class Checkpoints {
  static readonly fileName = 'last.json';

  constructor(readonly folder: string) {}

  async prepare(): Promise<void> {
    try {
      await mkdir(this.folder, { recursive: true });
    } catch (error) {
      throw writeFailure(this.folder, error);
    }
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** What was saved last, if anything; of another configuration it is refused. */
  async read(configuration: Configuration): Promise<Saved | undefined> {
    const file = this.path(Checkpoints.fileName);
    let text: string;
    try {
      text = await readFile(file, 'utf8');
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return undefined;
      throw readFailure(file, error);
    }
    const saved = parse(text, file);
    requireSame(saved.configuration, configuration, this.folder);
    return saved;
  }

  async write(saved: Omit<Saved, 'format' | 'version'>): Promise<void> {
    const content: Saved = { format: 'bert-qe-checkpoint', version: 1, ...saved };
    await writeFileAtomic(this.path(Checkpoints.fileName), `${JSON.stringify(content)}\n`);
    const kept = new Set<string | null>([saved.state, saved.best]);
    for (const name of await readdir(this.folder)) {
      // Temporary files of a process that was killed go too.
      if (/\.safetensors(?:\.|$)/.test(name) && !kept.has(name)) await rm(this.path(name), { force: true });
    }
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

function parse(text: string, file: string): Saved {
  try {
    const saved = JSON.parse(text) as Saved;
    if (saved.format === 'bert-qe-checkpoint' && saved.version === 1) return saved;
  } catch {
    // Said below: no JSON and no checkpoint are the same to the user.
  }
  throw new BertQeError(
    'corrupt',
    `${file}: not a checkpoint of this version; remove the folder to start anew.`,
  );
}
