import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hashFile, hashJson } from '../../common/hash.js';
import { BertQeError, reasonOf } from '../../common/errors.js';
import { writeFileAtomic } from '../../common/atomic.js';
import type { ExperimentFile } from '../file/schema.js';
import type { ModelRecord } from './models.js';

/** A step that was done: what it was made from, and what it made. */
interface StepRecord {
  /** Hash of everything that the step depends on. */
  readonly key: string;
  /** Files, relative to the folder of the experiment, and their SHA-256. */
  readonly outputs: Readonly<Record<string, string>>;
  /** What later steps need besides the files. */
  readonly result?: unknown;
}

/** `manifest.json`: where the results come from. */
export interface ManifestContent {
  readonly format: 'bert-qe-experiment';
  readonly version: 1;
  readonly versions: Readonly<Record<string, string>>;
  readonly options: ExperimentFile;
  /** SHA-256 of what was read. */
  readonly inputs: Readonly<Record<string, string>>;
  readonly models: Readonly<Record<string, ModelRecord>>;
  readonly steps: Readonly<Record<string, StepRecord>>;
}

const fileName = 'manifest.json';

/** What identifies a step's work. */
export interface Step {
  readonly name: string;
  /** Everything the step depends on, as JSON values. */
  readonly inputs: readonly unknown[];
  /** Files it writes, relative to the folder. */
  readonly outputs: readonly string[];
  /** Looks after what is no plain file, such as an index. */
  readonly isIntact?: () => boolean;
}

/** Runs the steps whose inputs or outputs are not what they were, and remembers what was done. */
export class Manifest {
  readonly #steps: Map<string, StepRecord>;
  readonly #needed = new Set<string>();
  /** Steps that ran in this process, in order. */
  readonly ran: string[] = [];

  private constructor(
    readonly folder: string,
    steps: Readonly<Record<string, StepRecord>>,
    private readonly head: Omit<ManifestContent, 'steps' | 'models'>,
    private readonly models: ReadonlyMap<string, ModelRecord>,
  ) {
    this.#steps = new Map(Object.entries(steps));
  }

  static async open(
    folder: string,
    head: Omit<ManifestContent, 'steps' | 'models' | 'format' | 'version'>,
    models: ReadonlyMap<string, ModelRecord>,
  ): Promise<Manifest> {
    const { steps } = (await read(join(folder, fileName))) ?? { steps: {} };
    return new Manifest(folder, steps, { format: 'bert-qe-experiment', version: 1, ...head }, models);
  }

  /** The step's result, computed by `make` unless it is known and its files are untouched. */
  async run<T>(step: Step, make: () => Promise<T>): Promise<T> {
    this.#needed.add(step.name);
    const key = hashJson(step.inputs);
    const known = this.#steps.get(step.name);
    if (known?.key === key && (await this.#areIntact(known)) && (step.isIntact?.() ?? true)) {
      return known.result as T;
    }
    for (const output of step.outputs) await mkdir(dirname(join(this.folder, output)), { recursive: true });
    const result = await make();
    const outputs: Record<string, string> = {};
    for (const output of step.outputs) outputs[output] = await hashFile(join(this.folder, output));
    this.#steps.set(step.name, { key, outputs, ...(result === undefined ? {} : { result }) });
    this.ran.push(step.name);
    await this.save();
    return result;
  }

  /** Says that a step belongs to the experiment although nothing may need it this time. */
  keep(name: string): void {
    this.#needed.add(name);
  }

  /** Forgets steps that the experiment no longer has. */
  async finish(): Promise<void> {
    for (const name of this.#steps.keys()) if (!this.#needed.has(name)) this.#steps.delete(name);
    await this.save();
  }

  async save(): Promise<void> {
    const content: ManifestContent = {
      ...this.head,
      models: Object.fromEntries(sorted(this.models)),
      steps: Object.fromEntries(sorted(this.#steps)),
    };
    await writeFileAtomic(join(this.folder, fileName), `${JSON.stringify(content, undefined, 2)}\n`);
  }

  async #areIntact({ outputs }: StepRecord): Promise<boolean> {
    for (const [output, digest] of Object.entries(outputs)) {
      const file = join(this.folder, output);
      if (!existsSync(file) || (await hashFile(file)) !== digest) return false;
    }
    return true;
  }
}

function sorted<T>(entries: ReadonlyMap<string, T>): [string, T][] {
  return [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
}

async function read(file: string): Promise<ManifestContent | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    const content = JSON.parse(text) as ManifestContent;
    if (content.format === 'bert-qe-experiment' && content.version === 1) return content;
  } catch (error) {
    throw inTheWay(file, reasonOf(error), error);
  }
  throw inTheWay(file, 'another format');
}

function inTheWay(file: string, reason: string, cause?: unknown): BertQeError {
  return new BertQeError(
    'input',
    `${file} is not the manifest of an experiment (${reason}); choose another --out, or remove the file.`,
    { cause },
  );
}
