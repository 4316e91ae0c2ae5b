import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { BertQeError } from '../common/errors.js';
import { readFailure, systemCode, writeFailure } from '../common/io-errors.js';
import { writeFileAtomic } from '../common/atomic.js';
import { type Configuration, requireSame } from './configuration.js';
import type { History } from './history.js';

/** The content of `last.json`: the progress of a training, and its files. */
export interface SavedTraining extends History {
  readonly format: 'bert-qe-checkpoint';
  readonly version: 1;
  readonly configuration: Configuration;
  /** Steps done. */
  readonly step: number;
  /** Seconds of all steps, over all processes. */
  readonly seconds: number;
  /** File of the state to resume from, in the same folder. */
  readonly state: string;
  /** File of the best weights; null without validation. */
  readonly best: string | null;
}

/**
 * The folder of an unfinished training. New files are written under new names, then `last.json`, which names them, is
 * replaced, then files that it no longer names are removed. So `last.json` and its files are consistent at any moment.
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

  /** The last saved training, if there is one. Throws where it has another configuration. */
  async read(configuration: Configuration): Promise<SavedTraining | undefined> {
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

  async write(saved: Omit<SavedTraining, 'format' | 'version'>): Promise<void> {
    const content: SavedTraining = { format: 'bert-qe-checkpoint', version: 1, ...saved };
    await writeFileAtomic(this.path(Checkpoints.fileName), `${JSON.stringify(content)}\n`);
    const kept = new Set<string | null>([saved.state, saved.best]);
    for (const name of await readdir(this.folder)) {
      // This includes temporary files of a process that was killed.
      if (/\.safetensors(?:\.|$)/.test(name) && !kept.has(name)) await rm(this.path(name), { force: true });
    }
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

function parse(text: string, file: string): SavedTraining {
  try {
    const saved = JSON.parse(text) as SavedTraining;
    if (saved.format === 'bert-qe-checkpoint' && saved.version === 1) return saved;
  } catch {
    // The error below covers it.
  }
  throw new BertQeError(
    'corrupt',
    `${file}: not a checkpoint of this version; remove the folder to start anew.`,
  );
}
