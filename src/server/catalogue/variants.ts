import type { Phase } from '../../expansion/index.js';
import { HttpProblem } from '../http/index.js';
import type { ServedModel } from '../scheduling/index.js';
import type { NamedVariant } from './names.js';

/** A combination of models that requests can name as their model. */
export interface ServedVariant extends Omit<NamedVariant, 'models'> {
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

/** The name of the default variant, whichever that is. */
export const defaultName = 'bert-qe';

/** The alias that stands for every unknown name. */
export const anyName = '*';

/** Beginning of the names of this project. Clients of other services never send one, so a wrong one is a mistake. */
const ownName = /^bert-qe-/i;

/** The most unknown names that are reported: clients may send any number of them. */
const mostReported = 100;

/** The variants of a server by the names that requests send. */
export class VariantNames {
  readonly #reported = new Set<string>();

  constructor(
    /** The first is the default. */
    readonly variants: readonly ServedVariant[],
    private readonly options: {
      /** Serves known names only. */
      readonly strict: boolean;
      /** Called once with each unknown name, and the variant that serves it. */
      readonly onUnknown: (name: string, variant: ServedVariant) => void;
    },
  ) {}

  /** The variant of a known name; without a name, the default. */
  find(name: string | undefined): ServedVariant {
    if (name === undefined) return this.variants[0];
    return findVariant(this.variants, name) ?? this.#unknown(name);
  }

  /** The variant that serves a client of another service, which sends the names of that service's models. */
  findForClient(name: string | undefined): ServedVariant {
    if (name === undefined || this.options.strict || ownName.test(name)) return this.find(name);
    const known = findVariant(this.variants, name);
    if (known) return known;
    const variant = findVariant(this.variants, anyName) ?? this.variants[0];
    if (!this.#reported.has(name) && this.#reported.size < mostReported) {
      this.#reported.add(name);
      this.options.onUnknown(name, variant);
    }
    return variant;
  }

  #unknown(name: string): never {
    const known = this.variants.map(({ id }) => id).join(', ');
    throw new HttpProblem(
      'not_found',
      `There is no model "${name}" here; there is ${known} (GET /variants).`,
    );
  }
}
