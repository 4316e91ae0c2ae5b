import type { BertQEOptions } from '../expansion/index.js';

/** Re-ranks all documents: a request chooses its documents itself. */
const depth = Number.MAX_SAFE_INTEGER;

/** The parameters of BERT-QE that apply where a request sets none. */
export class MethodDefaults {
  /** Frozen, so that their settings are computed once. */
  readonly #expanding: BertQEOptions;
  readonly #plain: BertQEOptions;

  constructor(readonly options: BertQEOptions) {
    this.#expanding = Object.freeze({ ...options, depth, expansion: true });
    this.#plain = Object.freeze({ ...options, depth, expansion: false });
  }

  /** The parameters of a request, for a variant that expands queries or one that does not. */
  with(overrides: BertQEOptions | undefined, expansion: boolean): BertQEOptions {
    const defaults = expansion ? this.#expanding : this.#plain;
    return overrides ? { ...defaults, ...overrides, depth, expansion } : defaults;
  }
}
