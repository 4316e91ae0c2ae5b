import { BertScorer, hashModel, precisionIdentity, type SizeLetter } from '../../bert/index.js';
import { hashJson } from '../../common/hash.js';
import { isScorerAddress, openRemoteScorer } from '../../remote/index.js';
import type { ExperimentFile } from '../file/schema.js';
import { ModelPlaces, type ModelPlace, type ModelPlacesOptions, type ModelRole } from './model-places.js';
import type { ScoreStore } from './score-store.js';
import { StoredScorer, type StorableScorer } from './stored-scorer.js';
import { describeMachine } from './timing.js';

export type ModelSettings = Pick<ExperimentFile, 'device' | 'precision'>;

export type OpenModel = (folder: string, settings: ModelSettings) => Promise<StorableScorer>;

/** The manifest's entry of a model: a folder, or the address of a server. */
export type ModelRecord = { readonly folder: string; readonly sha256: string } | { readonly address: string };

export interface ModelsOptions extends ModelPlacesOptions {
  /** Loads models, in place of {@link BertScorer.load}. */
  readonly open?: OpenModel | undefined;
  /** The time of models is known: they run on this machine (true). */
  readonly isTimed?: boolean;
}

/** The models of an experiment. Each is loaded at most once, when a score is missing. */
export class Models {
  readonly #byPlace = new Map<string, StoredScorer>();
  /** Folders of the models that the experiment fine-tuned, by target and fold. */
  readonly #trained = new Map<string, string>();
  readonly records = new Map<string, ModelRecord>();

  readonly places: ModelPlaces;

  constructor(
    private readonly experiment: ExperimentFile,
    /** The experiment file, from which relative paths start. */
    file: string,
    private readonly store: ScoreStore,
    private readonly options: ModelsOptions,
  ) {
    this.places = new ModelPlaces(experiment, file, options);
  }

  /** Sets the fine-tuned model of a fold for a training target: a size, or a variant's phase three. */
  useTrained(target: string, fold: number, folder: string): void {
    this.#trained.set(`${target}, fold ${fold}`, folder);
  }

  /** The folder of a size and role; a model that the experiment fine-tuned for the size precedes the file's. */
  async folder(size: SizeLetter, role: ModelRole, fold: number): Promise<string> {
    const trained = role === 'fineTuned' ? this.#findTrained([size], fold) : undefined;
    return trained?.place ?? this.places.folder(size, role, fold);
  }

  /** The scorer of a size and role; `fold` counts from 1. A model fine-tuned for `target` precedes the size's own. */
  async get(size: SizeLetter, role: ModelRole, fold: number, target: string = size): Promise<StoredScorer> {
    const trained = role === 'fineTuned' ? this.#findTrained([target, size], fold) : undefined;
    const { name, place } = trained ?? this.places.of(size, role, fold);
    const folder =
      trained?.place ?? (isScorerAddress(place) ? place : await this.places.folder(size, role, fold));
    const known = this.#byPlace.get(folder);
    if (known) return known;
    const scorer = isScorerAddress(place) ? this.#remote(place) : await this.#local(folder);
    this.#byPlace.set(folder, scorer);
    const record = isScorerAddress(place) ? { address: place } : { folder, sha256: await hashModel(folder) };
    this.records.set(name, record);
    return scorer;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#byPlace.values()].map((scorer) => scorer.close()));
  }

  async #local(folder: string): Promise<StoredScorer> {
    const { device, precision } = this.experiment;
    const { open = openBertModel, isTimed = true } = this.options;
    return new StoredScorer(
      hashJson('model 2', await hashModel(folder), device, precisionIdentity(precision)),
      this.store,
      () => open(folder, { device, precision }),
      isTimed ? describeMachine(device) : undefined,
    );
  }

  /** A model on a server is known by its address: behind the same address, another model is not noticed. */
  #remote(address: string): StoredScorer {
    const open = (): Promise<StorableScorer> => openRemoteScorer(address, this.options.signal);
    return new StoredScorer(hashJson('remote model 1', address), this.store, open, address);
  }

  #findTrained(targets: readonly string[], fold: number): ModelPlace | undefined {
    const name = targets.map((target) => `${target}, fold ${fold}`).find((key) => this.#trained.has(key));
    return name === undefined ? undefined : { name, place: this.#trained.get(name)! };
  }
}

function openBertModel(folder: string, settings: ModelSettings): Promise<BertScorer> {
  return BertScorer.load({ model: folder, ...settings });
}
