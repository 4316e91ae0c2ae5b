import type { DocumentStore, Qrels, Query, Retriever } from '../../collection/index.js';

/** What the server searches. */
export interface Collection {
  readonly retriever: Retriever;
  readonly documents: DocumentStore;
  /** What makes the initial ranking, e.g. `DPH+KL`. */
  readonly firstStage: string;
  /** Documents, and words counted with repetition. */
  readonly statistics: { readonly documents: number; readonly tokens: number };
}

/** Queries that come with the collection, and what was judged for them. */
export class Topics {
  readonly #byText = new Map<string, string>();

  constructor(
    readonly queries: readonly Query[] = [],
    readonly qrels: Qrels = new Map(),
  ) {
    for (const { id, text } of queries) this.#byText.set(normalised(text), id);
  }

  /** The judged query that is meant by an id or, without one, by the same words. */
  judged(
    text: string,
    id: string | undefined,
  ): { id: string; levels: ReadonlyMap<string, number> } | undefined {
    const named = id ?? this.#byText.get(normalised(text));
    const levels = named === undefined ? undefined : this.qrels.get(named);
    return levels && { id: named!, levels };
  }

  /** Documents judged relevant; null where nothing is judged. */
  relevant(id: string): number | null {
    const levels = this.qrels.get(id);
    return levels ? countRelevant(levels) : null;
  }
}

export function countRelevant(levels: ReadonlyMap<string, number>): number {
  let count = 0;
  for (const level of levels.values()) if (level > 0) count++;
  return count;
}

function normalised(text: string): string {
  return text.trim().replace(/\s+/g, ' ').toLowerCase();
}
