import { failureError } from '../../common/errors.js';
import { anything, dictionary, list, number, object, optional, text } from './answer-shape.js';
import {
  missingAnswers,
  missingShards,
  type EngineCallOptions,
  type EngineConnection,
} from './connection.js';

/** The document frequency n and the collection frequency F of a term. */
export interface CollectionCounts {
  readonly documentFrequency: number;
  readonly collectionFrequency: number;
}

const termVectors = object({
  docs: list(
    object({
      error: optional(object({ reason: optional(text) })),
      term_vectors: optional(
        dictionary(
          object({
            field_statistics: optional(object({ sum_ttf: number, doc_count: number })),
            terms: optional(dictionary(object({ doc_freq: optional(number), ttf: optional(number) }))),
          }),
        ),
      ),
    }),
  ),
});

/** The copies of each shard. */
const searchShards = object({ shards: list(list(object({ shard: number, state: anything }))) });

const termsPerCall = 2000;
/** Terms whose counts are cached: feedback needs the same frequent terms for many queries. */
const cachedTerms = 200_000;
/** Routing values that are tried per shard to reach every one. */
const routingsPerShard = 1000;
const unknownTerm: CollectionCounts = { documentFrequency: 0, collectionFrequency: 0 };

/**
 * Term statistics over all shards. The server counts per shard only: every shard is asked about an artificial document
 * with the terms in question, and the counts are added.
 */
export class GlobalStatistics {
  readonly #known = new Map<string, CollectionCounts>();

  private constructor(
    private readonly connection: EngineConnection,
    private readonly index: string,
    readonly field: string,
    /** A routing value per shard. */
    private readonly routings: readonly string[],
  ) {}

  static async open(
    connection: EngineConnection,
    index: string,
    field: string,
    call: EngineCallOptions = {},
  ): Promise<GlobalStatistics> {
    const routings = await routingPerShard(connection, index, call);
    return new GlobalStatistics(connection, index, field, routings);
  }

  get shards(): number {
    return this.routings.length;
  }

  /** Counts of the terms; zero for those that the collection does not have. */
  async of(
    terms: Iterable<string>,
    call: EngineCallOptions = {},
  ): Promise<ReadonlyMap<string, CollectionCounts>> {
    const asked = [...new Set(terms)];
    const missing = asked.filter((term) => !this.#known.has(term));
    const found = new Map<string, CollectionCounts>();
    for (let from = 0; from < missing.length; from += termsPerCall) {
      const batch = missing.slice(from, from + termsPerCall);
      for (const term of batch) found.set(term, unknownTerm);
      for (const answer of await this.#ask(batch.join(' '), call)) {
        for (const [term, { doc_freq = 0, ttf = 0 }] of Object.entries(answer?.terms ?? {})) {
          const sum = found.get(term);
          if (!sum) continue;
          found.set(term, {
            documentFrequency: sum.documentFrequency + doc_freq,
            collectionFrequency: sum.collectionFrequency + ttf,
          });
        }
      }
    }
    if (this.#known.size + found.size > cachedTerms) this.#known.clear();
    const result = new Map(asked.map((term) => [term, found.get(term) ?? this.#known.get(term)!]));
    for (const [term, counts] of found) this.#known.set(term, counts);
    return result;
  }

  /** Number of documents with the field, and of its terms. */
  async ofField(call: EngineCallOptions = {}): Promise<{ documents: number; tokens: number }> {
    let documents = 0;
    let tokens = 0;
    for (const answer of await this.#ask('term', call)) {
      documents += Math.max(0, answer?.field_statistics?.doc_count ?? 0);
      tokens += Math.max(0, answer?.field_statistics?.sum_ttf ?? 0);
    }
    return { documents, tokens };
  }

  /** The answers of all shards about an artificial document; its content is split at white space only. */
  async #ask(content: string, call: EngineCallOptions) {
    const path = `/${encodeURIComponent(this.index)}/_mtermvectors`;
    const artificial = {
      doc: { [this.field]: content },
      fields: [this.field],
      per_field_analyzer: { [this.field]: 'whitespace' },
      term_statistics: true,
      field_statistics: true,
      positions: false,
      offsets: false,
    };
    const { docs } = await this.connection.call(
      { method: 'POST', path, body: { docs: this.routings.map((routing) => ({ routing, ...artificial })) } },
      termVectors,
      call,
      (answer) => {
        const away = answer.docs.find(({ term_vectors: vectors }) => !vectors);
        if (away) return `statistics of a shard cannot be read (${away.error?.reason ?? 'no answer'})`;
        return missingAnswers(answer.docs, this.routings, 'shards');
      },
    );
    return docs.map(({ term_vectors: vectors }) => vectors![this.field]);
  }
}

async function routingPerShard(
  connection: EngineConnection,
  index: string,
  call: EngineCallOptions,
): Promise<string[]> {
  const path = `/${encodeURIComponent(index)}/_search_shards`;
  const shardsOf = async (routing?: string): Promise<number[]> => {
    const { shards } = await connection.call(
      { method: 'GET', path, ...(routing === undefined ? {} : { query: { routing } }) },
      searchShards,
      call,
      // A shard that is not available has no copies.
      ({ shards: found }) =>
        missingShards(index, found.length, found.filter((copies) => copies.length > 0).length),
    );
    return shards.map(([copy]) => copy.shard);
  };
  const all = await shardsOf();
  const routings = new Map<number, string>();
  for (let i = 0; routings.size < all.length && i < routingsPerShard * all.length; i++) {
    const [shard] = await shardsOf(String(i));
    if (!routings.has(shard)) routings.set(shard, String(i));
  }
  if (routings.size < all.length) {
    const reached = `${routings.size} of ${all.length} shards`;
    throw failureError(
      `Only ${reached} of ${index} can be asked for statistics; is it partitioned by routing?`,
    );
  }
  return [...routings.values()];
}
