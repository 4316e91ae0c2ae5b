import type { BertQEOptions } from '../expansion/index.js';

/** Requests choose their documents themselves: all of them are re-ranked. */
const depth = Number.MAX_SAFE_INTEGER;

/** The parameters of BERT-QE that requests are answered with. */
export class Methods {
  readonly #expanding: BertQEOptions;
  readonly #plain: BertQEOptions;

  constructor(
    /** Where a request sets none. */
    readonly own: BertQEOptions,
  ) {
    this.#expanding = Object.freeze({ ...own, depth, expansion: true });
    this.#plain = Object.freeze({ ...own, depth, expansion: false });
  }

  /** Those of a request, for a variant that expands queries or not; where it sets nothing, always the same object. */
  of(expansion: boolean, set: BertQEOptions | undefined): BertQEOptions {
    const unset = expansion ? this.#expanding : this.#plain;
    return set ? { ...unset, ...set, depth, expansion } : unset;
  }
}
