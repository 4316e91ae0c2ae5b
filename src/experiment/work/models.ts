import { dirname, resolve } from 'node:path';
import { BertScorer, findModel, readCrossEncoderConfig, type SizeLetter } from '../../bert/index.js';
import { TokenMeter } from '../../cost/index.js';
import type { ExperimentFile } from '../file/schema.js';
import { keyOf, type FileDigests } from './digests.js';
import type { WorkStore } from './store.js';
import { StoredScorer, type OpenedModel } from './stored-scorer.js';

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
  /** As the manifest lists them. */
  readonly records = new Map<string, ModelRecord>();

  constructor(
    private readonly experiment: ExperimentFile,
    /** Relative paths start from the experiment file. */
    private readonly file: string,
    private readonly digests: FileDigests,
    private readonly store: WorkStore,
    private readonly open: OpenModel = openBertModel,
  ) {}

  /** The model of a size in a role; `fold` counts from 1. */
  async get(size: SizeLetter, role: ModelRole, fold: number): Promise<StoredScorer> {
    const paths = this.experiment.models[size] ?? size;
    const name = (typeof paths === 'string' ? paths : paths[role]).replaceAll('{fold}', String(fold));
    const folder = await findModel(/[\\/]/.test(name) ? resolve(dirname(this.file), name) : name);
    const known = this.#byFolder.get(folder);
    if (known) return known;
    const { device, precision } = this.experiment;
    const sha256 = await this.digests.of(folder, isPartOfModel);
    const scorer = new StoredScorer(keyOf('model 1', sha256, device, precision), this.store, () =>
      this.open(folder, { device, precision }),
    );
    this.#byFolder.set(folder, scorer);
    this.records.set(name, { folder, sha256 });
    return scorer;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#byFolder.values()].map((scorer) => scorer.close()));
  }
}

/** A README may change without the scores changing. */
function isPartOfModel(name: string): boolean {
  return !name.startsWith('.') && !name.toLowerCase().endsWith('.md');
}

async function openBertModel(folder: string, { device, precision }: ModelSettings): Promise<OpenedModel> {
  const scorer = await BertScorer.load({ model: folder, device, precision });
  const { modelType } = await readCrossEncoderConfig(folder);
  // Other architectures run from an ONNX export; their cost is not known here.
  if (modelType !== 'bert') return { scorer };
  return { scorer, meter: await TokenMeter.of(folder, scorer.info.maxLength) };
}
