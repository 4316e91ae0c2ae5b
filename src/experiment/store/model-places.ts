import { dirname } from 'node:path';
import {
  checkBareModel,
  completeModel,
  findModel,
  isBareModel,
  loadTokenizer,
  readCrossEncoderConfig,
  type BareModel,
  type SizeLetter,
} from '../../bert/index.js';
import { isScorerAddress, openRemoteScorer } from '../../remote/index.js';
import { expandVariables, resolvePath } from '../file/paths.js';
import type { ExperimentFile } from '../file/schema.js';

/** The role of a model: the general one chooses passages and chunks, the fine-tuned one scores documents. */
export type ModelRole = 'general' | 'fineTuned';

/** The place of a model, as the experiment file gives it. */
export interface ModelPlace {
  /** As the file writes it, with the number of the fold. */
  readonly name: string;
  /** An address, a folder, an archive, or the name of an installed model. */
  readonly place: string;
}

export interface ModelPlacesOptions {
  /** Folder of the models that are made of archives. */
  readonly folder: string;
  /** Models are the caller's own: they need not be BERT, and are not read before they are opened (false). */
  readonly isOwn?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

export class ModelPlaces {
  readonly #checked = new Set<string>();
  /** Folders by the place that the file gives. */
  readonly #found = new Map<string, string>();

  constructor(
    private readonly experiment: Pick<ExperimentFile, 'models'>,
    /** The experiment file, from which relative paths start. */
    private readonly file: string,
    private readonly options: ModelPlacesOptions,
  ) {}

  /** The place that the file gives a size and role; `fold` counts from 1. */
  of(size: SizeLetter, role: ModelRole, fold: number): ModelPlace {
    const paths = this.experiment.models[size] ?? size;
    const name = (typeof paths === 'string' ? paths : paths[role]).replaceAll('{fold}', String(fold));
    const path = expandVariables(name);
    const isPath = /[\\/]/.test(path) && !isScorerAddress(path);
    return { name, place: isPath ? resolvePath(this.file, path) : path };
  }

  /** Throws where a model is missing, or cannot be read; nothing is unpacked or loaded. */
  async check(size: SizeLetter, role: ModelRole, fold: number): Promise<void> {
    const { place } = this.of(size, role, fold);
    if (this.#checked.has(place)) return;
    this.#checked.add(place);
    const { isOwn, signal } = this.options;
    if (isScorerAddress(place)) {
      const scorer = await openRemoteScorer(place, signal);
      await scorer.close();
    } else if (await isBareModel(place)) {
      await checkBareModel(this.#bareModel(place, size, role, fold));
    } else {
      const folder = await findModel(place);
      if (isOwn) return;
      await readCrossEncoderConfig(folder);
      await loadTokenizer(folder);
    }
  }

  /** The folder of a model that is not on a server; one that is an archive is unpacked first. */
  async folder(size: SizeLetter, role: ModelRole, fold: number): Promise<string> {
    const { place } = this.of(size, role, fold);
    const known = this.#found.get(place);
    if (known !== undefined) return known;
    const folder = (await isBareModel(place))
      ? await completeModel(
          this.#bareModel(place, size, role, fold),
          this.options.folder,
          this.options.signal,
        )
      : await findModel(place);
    this.#found.set(place, folder);
    return folder;
  }

  /** A configuration or vocabulary lies beside the model, or is that of the general model of its size. */
  #bareModel(place: string, size: SizeLetter, role: ModelRole, fold: number): BareModel {
    const general = role === 'general' ? [] : [this.of(size, 'general', fold).place];
    const beside = dirname(place);
    const named = general.filter((path) => /[\\/]/.test(path));
    return { path: place, otherPlaces: [beside, ...named, dirname(beside)] };
  }
}
