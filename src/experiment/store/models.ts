import { BertScorer, findModel, hashModel, type SizeLetter } from '../../bert/index.js';
import { hashJson } from '../../common/hash.js';
import { expandVariables, resolvePath } from '../file/paths.js';
import type { ExperimentFile } from '../file/schema.js';
import type { ScoreStore } from './score-store.js';
import { StoredScorer, type StorableScorer } from './stored-scorer.js';
import { describeMachine } from './timing.js';

/** The device and precision of models. */
export type ModelSettings = Pick<ExperimentFile, 'device' | 'precision'>;

/** Loads the model in a folder. */
export type OpenModel = (folder: string, settings: ModelSettings) => Promise<StorableScorer>;

/** The role of a model: the general one chooses passages and chunks, the fine-tuned one scores documents. */
export type ModelRole = 'general' | 'fineTuned';

/** The manifest's entry of a model. */
export interface ModelRecord {
  readonly folder: string;
  readonly sha256: string;
}

/** The models of an experiment. Each is loaded at most once, when a score is missing. */
export class Models {
  readonly #byFolder = new Map<string, StoredScorer>();
  /** Folders of the models that the experiment fine-tuned, by target and fold. */
  readonly #trained = new Map<string, string>();
  /** The manifest's entries, by name. */
  readonly records = new Map<string, ModelRecord>();

  constructor(
    private readonly experiment: ExperimentFile,
    /** The experiment file, from which relative paths start. */
    private readonly file: string,
    private readonly store: ScoreStore,
    private readonly open: OpenModel = openBertModel,
  ) {}

  /** Sets the fine-tuned model of a fold for a training target: a size, or a variant's phase three. */
  useTrained(target: string, fold: number, folder: string): void {
    this.#trained.set(`${target}, fold ${fold}`, folder);
  }

  /** Name and folder of the model that the file gives a size and role; `fold` counts from 1. */
  async find(size: SizeLetter, role: ModelRole, fold: number): Promise<{ name: string; folder: string }> {
    const paths = this.experiment.models[size] ?? size;
    const name = (typeof paths === 'string' ? paths : paths[role]).replaceAll('{fold}', String(fold));
    const path = expandVariables(name);
    return { name, folder: await findModel(/[\\/]/.test(path) ? resolvePath(this.file, path) : path) };
  }

  /** The folder of a size and role; a model that the experiment fine-tuned for the size precedes the file's. */
  async folder(size: SizeLetter, role: ModelRole, fold: number): Promise<string> {
    const trained = role === 'fineTuned' ? this.#findTrained([size], fold) : undefined;
    return (trained ?? (await this.find(size, role, fold))).folder;
  }

  /** The scorer of a size and role; `fold` counts from 1. A model fine-tuned for `target` precedes the size's own. */
  async get(size: SizeLetter, role: ModelRole, fold: number, target: string = size): Promise<StoredScorer> {
    const { name, folder } =
      (role === 'fineTuned' ? this.#findTrained([target, size], fold) : undefined) ??
      (await this.find(size, role, fold));
    const known = this.#byFolder.get(folder);
    if (known) return known;
    const { device, precision } = this.experiment;
    const sha256 = await hashModel(folder);
    const scorer = new StoredScorer(
      hashJson('model 1', sha256, device, precision),
      this.store,
      () => this.open(folder, { device, precision }),
      describeMachine(device),
    );
    this.#byFolder.set(folder, scorer);
    this.records.set(name, { folder, sha256 });
    return scorer;
  }

  #findTrained(targets: readonly string[], fold: number): { name: string; folder: string } | undefined {
    const name = targets.map((target) => `${target}, fold ${fold}`).find((key) => this.#trained.has(key));
    return name === undefined ? undefined : { name, folder: this.#trained.get(name)! };
  }

  async close(): Promise<void> {
    await Promise.all([...this.#byFolder.values()].map((scorer) => scorer.close()));
  }
}

function openBertModel(folder: string, settings: ModelSettings): Promise<BertScorer> {
  return BertScorer.load({ model: folder, ...settings });
}
