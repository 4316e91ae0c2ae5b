import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hashFile, hashJson } from '../../common/hash.js';
import { BertQeError, inputError, reasonOf } from '../../common/errors.js';
import { writeFileAtomic } from '../../common/atomic.js';
import type { ExperimentFile } from '../file/schema.js';
import type { System } from '../systems.js';
import type { ModelRecord } from './models.js';

/** The manifest's entry of a finished step. */
interface StepEntry {
  readonly key: string;
  /** SHA-256 of the files it wrote, by path relative to the folder. */
  readonly outputs: Readonly<Record<string, string>>;
  /** The step's result for later steps, besides its files. */
  readonly result?: unknown;
  /** Hash of the other fields, to tell damage. */
  readonly digest: string;
}

/** The content of `manifest.json`, which records what the results were made from. */
export interface ManifestContent {
  readonly format: 'bert-qe-experiment';
  readonly version: 1;
  readonly versions: Readonly<Record<string, string>>;
  readonly options: ExperimentFile;
  readonly inputs: Readonly<Record<string, string>>;
  readonly models: Readonly<Record<string, ModelRecord>>;
  readonly steps: Readonly<Record<string, StepEntry>>;
}

const fileName = 'manifest.json';

export interface Step {
  readonly name: string;
  /** Everything that the step depends on, as JSON values. */
  readonly inputs: readonly unknown[];
  /** Files that it writes, relative to the folder. */
  readonly outputs: readonly string[];
  /** A check of output that is not a plain file, such as an index. */
  readonly isIntact?: () => boolean;
}

/** The steps of an experiment. Only steps whose inputs or outputs changed run again. */
export class Manifest {
  readonly #steps: Map<string, StepEntry>;
  readonly #needed = new Set<string>();
  /** Names of the steps that ran in this process, in order. */
  readonly ran: string[] = [];

  private constructor(
    readonly folder: string,
    steps: Readonly<Record<string, StepEntry>>,
    private readonly head: Omit<ManifestContent, 'steps' | 'models'>,
    private readonly models: ReadonlyMap<string, ModelRecord>,
  ) {
    const entries = Object.entries(steps);
    this.#steps = new Map(entries.filter(([, entry]) => entry?.digest === digestOf(entry ?? {})));
    const damaged = entries.map(([name]) => name).filter((name) => !this.#steps.has(name));
    if (damaged.length > 0) {
      process.emitWarning(
        `${join(folder, fileName)}: the entries of ${damaged.join(', ')} are damaged; these steps are run again.`,
      );
    }
  }

  static async open(
    folder: string,
    head: Omit<ManifestContent, 'steps' | 'models' | 'format' | 'version'>,
    models: ReadonlyMap<string, ModelRecord>,
  ): Promise<Manifest> {
    const { steps } = (await read(join(folder, fileName))) ?? { steps: {} };
    return new Manifest(folder, steps, { format: 'bert-qe-experiment', version: 1, ...head }, models);
  }

  /** The step's result: the recorded one while inputs and output files are unchanged, else that of `make`. */
  async run<T>(step: Step, make: () => Promise<T>): Promise<T> {
    this.#needed.add(step.name);
    const key = hashJson(step.inputs);
    const known = this.#steps.get(step.name);
    if (known?.key === key && (await this.#isIntact(known)) && (step.isIntact?.() ?? true)) {
      return known.result as T;
    }
    for (const output of step.outputs) await mkdir(dirname(join(this.folder, output)), { recursive: true });
    const result = await make();
    const outputs: Record<string, string> = {};
    for (const output of step.outputs) outputs[output] = await hashFile(join(this.folder, output));
    const entry = { key, outputs, ...(result === undefined ? {} : { result }) };
    this.#steps.set(step.name, { ...entry, digest: digestOf(entry) });
    this.ran.push(step.name);
    await this.save();
    return result;
  }

  /** The file of a system's run, and the result of the step that writes it. */
  async runOf<T>(
    { name, id }: System,
    inputs: readonly unknown[],
    write: (file: string) => Promise<T>,
  ): Promise<{ readonly file: string; readonly result: T }> {
    const output = join('runs', `${id}.run`);
    const file = join(this.folder, output);
    const result = await this.run({ name: `run ${name}`, inputs, outputs: [output] }, () => write(file));
    return { file, result };
  }

  /** Keeps the entry of a step that may not run this time. */
  keep(name: string): void {
    this.#needed.add(name);
  }

  /** Removes the entries of steps that the experiment no longer has. */
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

  async #isIntact({ outputs }: StepEntry): Promise<boolean> {
    for (const [output, digest] of Object.entries(outputs)) {
      const file = join(this.folder, output);
      if (!existsSync(file) || (await hashFile(file)) !== digest) return false;
    }
    return true;
  }
}

function digestOf({ key, outputs, result }: Omit<StepEntry, 'digest'>): string {
  return hashJson('step', key, outputs, result ?? null);
}

function sorted<T>(entries: ReadonlyMap<string, T>): [string, T][] {
  return [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
}

async function read(file: string): Promise<ManifestContent | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  let content: Partial<ManifestContent> | null;
  try {
    content = JSON.parse(text) as Partial<ManifestContent> | null;
  } catch (error) {
    throw notAManifest(file, reasonOf(error), error);
  }
  if (content?.format !== 'bert-qe-experiment' || content.version !== 1) {
    throw notAManifest(file, 'another format');
  }
  if (typeof content.steps !== 'object' || content.steps === null) throw notAManifest(file, 'no steps');
  return content as ManifestContent;
}

function notAManifest(file: string, reason: string, cause?: unknown): BertQeError {
  return inputError(
    `${file} is not the manifest of an experiment (${reason}); choose another --out, or remove the file.`,
    cause,
  );
}
