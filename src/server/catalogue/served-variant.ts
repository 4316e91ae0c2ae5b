import type { Phase } from '../../expansion/index.js';
import type { ServedModel } from '../scheduling/index.js';

/** A combination of models that requests can name as their model. */
export interface ServedVariant {
  readonly id: string;
  readonly name: string;
  /** Other names, in the spelling that is shown. */
  readonly aliases: readonly string[];
  /** The names that lists of models show: the id, `bert-qe` for the default, and names given by the operator. */
  readonly listed: readonly string[];
  readonly models: Readonly<Record<Phase, ServedModel>>;
  readonly expansion: boolean;
}

/** The variant of a name, in any case. */
export function findVariant(variants: readonly ServedVariant[], name: string): ServedVariant | undefined {
  const wanted = name.toLowerCase();
  return variants.find(({ id, aliases }) => [id, ...aliases].some((known) => known.toLowerCase() === wanted));
}
