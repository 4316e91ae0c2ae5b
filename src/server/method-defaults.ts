import type { BertQEOptions } from '../expansion/index.js';

/** Re-ranks all documents: a request chooses its documents itself. */
const depth = Number.MAX_SAFE_INTEGER;

/** The parameters of BERT-QE that apply where a request sets none. */
export class MethodDefaults {
  constructor(readonly options: BertQEOptions) {}

  /** The parameters of a request, for a variant that expands queries or one that does not. */
  with(overrides: BertQEOptions | undefined, expansion: boolean): BertQEOptions {
    return { ...this.options, ...overrides, depth, expansion };
  }
}
