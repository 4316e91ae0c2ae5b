import type { SizeLetter } from '../../bert/index.js';
import type { Phase } from '../../expansion/index.js';
import type { Engine } from '../scheduling/index.js';

/** A model with what is said of it in the catalogue. */
export interface LoadedEngine extends Engine {
  readonly precision: string;
  readonly device: string;
  /** Where it is one of the paper's sizes. */
  readonly size?: SizeLetter;
}

/** Something that requests can name as their model. */
export interface Variant {
  readonly id: string;
  readonly name: string;
  /** Other names, as they are shown. */
  readonly aliases: readonly string[];
  readonly engines: Readonly<Record<Phase, LoadedEngine>>;
  readonly expansion: boolean;
}
