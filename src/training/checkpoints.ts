import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type BertQeError, corruptError } from '../common/errors.js';
import { checksumFile, hashText } from '../common/hash.js';
import { readFailure, systemCode, writeFailure } from '../common/io-errors.js';
import { writeFileAtomic } from '../common/atomic.js';
import { type Configuration, requireSame } from './configuration.js';
import type { History } from './history.js';

export interface SavedFile {
  readonly name: string;
  /** CRC-32 of its content. */
  readonly checksum: number;
}

/** The content of `last.json`: the progress of a training, and its files. */
export interface SavedTraining extends History {
  readonly format: 'bert-qe-checkpoint';
  readonly version: 2;
  readonly configuration: Configuration;
  /** Steps done. */
  readonly step: number;
  /** Seconds of all steps, over all processes. */
  readonly seconds: number;
  readonly state: SavedFile;
  /** The best weights; null without validation. */
  readonly best: SavedFile | null;
}

/**
 * The folder of an unfinished training. New files are written under new names, then `last.json`, which names them, is
 * replaced, then files that it no longer names are removed. So `last.json` and its files are consistent at any moment. `last.json` has a
 * checksum of itself and of every file that it names, and a damaged file is refused by name.
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

  async record(name: string): Promise<SavedFile> {
    return { name, checksum: await checksumFile(this.path(name)) };
  }

  /** Throws where a file is no longer what was written. */
  async verify({ name, checksum }: SavedFile): Promise<void> {
    const file = this.path(name);
    if ((await checksumFile(file)) !== checksum) throw this.#damaged(file);
  }

  /** The last saved training, if there is one. Throws where it is damaged or has another configuration. */
  async read(configuration: Configuration): Promise<SavedTraining | undefined> {
    const file = this.path(Checkpoints.fileName);
    let text: string;
    try {
      text = await readFile(file, 'utf8');
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return undefined;
      throw readFailure(file, error);
    }
    const saved = this.#parse(text, file);
    requireSame(saved.configuration, configuration, this.folder);
    await this.verify(saved.state);
    if (saved.best) await this.verify(saved.best);
    return saved;
  }

  async write(saved: Omit<SavedTraining, 'format' | 'version'>): Promise<void> {
    const content: SavedTraining = { format: 'bert-qe-checkpoint', version: 2, ...saved };
    await writeFileAtomic(
      this.path(Checkpoints.fileName),
      `${JSON.stringify({ ...content, checksum: checksumOf(content) })}\n`,
    );
    const kept = new Set([saved.state.name, saved.best?.name]);
    for (const name of await readdir(this.folder)) {
      // This includes temporary files of a process that was killed.
      if (/\.safetensors(?:\.|$)/.test(name) && !kept.has(name)) await rm(this.path(name), { force: true });
    }
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }

  #parse(text: string, file: string): SavedTraining {
    let parsed: SavedTraining & { readonly checksum: string };
    try {
      parsed = JSON.parse(text) as typeof parsed;
    } catch {
      throw this.#damaged(file);
    }
    const { checksum, ...saved } = parsed;
    // Version 1 had no checksum.
    if (saved.version === (1 as number)) {
      throw corruptError(`${file}: not a checkpoint of this version; remove the folder to start anew.`);
    }
    if (checksum !== checksumOf(saved)) throw this.#damaged(file);
    return saved;
  }

  #damaged(file: string): BertQeError {
    const last = this.path(Checkpoints.fileName);
    return corruptError(
      `${file} is damaged: it is not what the training wrote. Delete ${last} to train again from the first step.`,
    );
  }
}

function checksumOf(saved: SavedTraining): string {
  return hashText(JSON.stringify(saved));
}
