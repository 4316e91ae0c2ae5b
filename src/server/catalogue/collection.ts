import type { DocumentStore, Qrels, Query, Retriever } from '../../collection/index.js';

/** A collection to search. */
export interface Collection {
  readonly retriever: Retriever;
  readonly documents: DocumentStore;
  /** The name of the first stage, e.g. `DPH+KL`. */
  readonly firstStage: string;
  /** Documents, and words counted with repetition. */
  readonly statistics: { readonly documents: number; readonly tokens: number };
}

/** The queries of a collection, and their judgements. */
export class Topics {
  readonly #byText = new Map<string, string>();

  constructor(
    readonly queries: readonly Query[] = [],
    readonly qrels: Qrels = new Map(),
  ) {
    for (const { id, text } of queries) this.#byText.set(normalised(text), id);
  }

  /** The judged query of this id or, without an id, of the same words. */
  judged(
    text: string,
    id: string | undefined,
  ): { id: string; levels: ReadonlyMap<string, number> } | undefined {
    const named = id ?? this.#byText.get(normalised(text));
    const levels = named === undefined ? undefined : this.qrels.get(named);
    return levels && { id: named!, levels };
  }

  /** Number of documents judged relevant; null if nothing is judged. */
  relevant(id: string): number | null {
    const levels = this.qrels.get(id);
    return levels ? countRelevant(levels) : null;
  }
}

export function countRelevant(levels: ReadonlyMap<string, number>): number {
  return [...levels.values()].filter((level) => level > 0).length;
}

function normalised(text: string): string {
  return text.trim().replace(/\s+/g, ' ').toLowerCase();
}
