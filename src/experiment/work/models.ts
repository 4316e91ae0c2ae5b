import { BertScorer, findModel, hashModel, type SizeLetter } from '../../bert/index.js';
import { hashJson } from '../../common/hash.js';
import { expandVariables, resolvePath } from '../file/paths.js';
import type { ExperimentFile } from '../file/schema.js';
import type { WorkStore } from './store.js';
import { StoredScorer, type OpenedModel } from './stored-scorer.js';
import { machineWith } from './timing.js';

/** How models run. */
export type ModelSettings = Pick<ExperimentFile, 'device' | 'precision'>;

/** Loads the model in a folder; tests bring their own. */
export type OpenModel = (folder: string, settings: ModelSettings) => Promise<OpenedModel>;

/** Which model of a size: the one that chooses passages and chunks, or the one that scores documents. */
export type ModelRole = 'general' | 'fineTuned';

/** What the manifest says of a model. */
export interface ModelRecord {
  readonly folder: string;
  readonly sha256: string;
}

/** The models of an experiment: each is loaded once at most, when a score is missing. */
export class Models {
  readonly #byFolder = new Map<string, StoredScorer>();
  /** Folders of the models that were fine-tuned here. */
  readonly #trained = new Map<string, string>();
  /** As the manifest lists them. */
  readonly records = new Map<string, ModelRecord>();

  constructor(
    private readonly experiment: ExperimentFile,
    /** Relative paths start from the experiment file. */
    private readonly file: string,
    private readonly store: WorkStore,
    private readonly open: OpenModel = openBertModel,
  ) {}

  /** From now on, the fine-tuned model of a size (or of a variant's phase three alone) and fold is the one in this folder. */
  useTrained(use: string, fold: number, folder: string): void {
    this.#trained.set(`${use}, fold ${fold}`, folder);
  }

  /** Name and folder of the model of a size in a role, as the file has it; `fold` counts from 1. */
  async find(size: SizeLetter, role: ModelRole, fold: number): Promise<{ name: string; folder: string }> {
    const paths = this.experiment.models[size] ?? size;
    const name = (typeof paths === 'string' ? paths : paths[role]).replaceAll('{fold}', String(fold));
    const path = expandVariables(name);
    return { name, folder: await findModel(/[\\/]/.test(path) ? resolvePath(this.file, path) : path) };
  }

  /** The model of a size in a role; `fold` counts from 1, and `own` is a use that may have a model of its own. */
  async get(size: SizeLetter, role: ModelRole, fold: number, own: string = size): Promise<StoredScorer> {
    const { name, folder } =
      (role === 'fineTuned' ? this.#findTrained([own, size], fold) : undefined) ??
      (await this.find(size, role, fold));
    const known = this.#byFolder.get(folder);
    if (known) return known;
    const { device, precision } = this.experiment;
    const sha256 = await hashModel(folder);
    const scorer = new StoredScorer(
      hashJson('model 1', sha256, device, precision),
      this.store,
      () => this.open(folder, { device, precision }),
      machineWith(device),
    );
    this.#byFolder.set(folder, scorer);
    this.records.set(name, { folder, sha256 });
    return scorer;
  }

  #findTrained(uses: readonly string[], fold: number): { name: string; folder: string } | undefined {
    const name = uses.map((use) => `${use}, fold ${fold}`).find((one) => this.#trained.has(one));
    return name === undefined ? undefined : { name, folder: this.#trained.get(name)! };
  }

  async close(): Promise<void> {
    await Promise.all([...this.#byFolder.values()].map((scorer) => scorer.close()));
  }
}

async function openBertModel(folder: string, { device, precision }: ModelSettings): Promise<OpenedModel> {
  const scorer = await BertScorer.load({ model: folder, device, precision });
  return { scorer, costOf: (pairs) => scorer.costOf(pairs) };
}
