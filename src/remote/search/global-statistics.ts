import { missingShards, type EngineCallOptions, type EngineConnection } from './connection.js';

/** The document frequency n and the collection frequency F of a term. */
export interface TermCounts {
  readonly documentFrequency: number;
  readonly collectionFrequency: number;
}

interface TermVectorAnswer {
  readonly error?: { readonly reason?: string };
  readonly term_vectors?: Readonly<
    Record<
      string,
      {
        readonly field_statistics?: { readonly sum_ttf: number; readonly doc_count: number };
        readonly terms?: Readonly<
          Record<string, { readonly doc_freq?: number; readonly ttf?: number; readonly term_freq: number }>
        >;
      }
    >
  >;
}

/** Terms in one call. */
const termsPerCall = 2000;
/** Terms whose counts are cached: feedback needs the same frequent terms for many queries. */
const cachedTerms = 200_000;
/** Routing values that are tried to reach every shard. */
const maxRoutings = 100_000;
const unknownTerm: TermCounts = { documentFrequency: 0, collectionFrequency: 0 };

/**
 * Term statistics over all shards. The server counts per shard only: every shard is asked about an artificial document
 * with the terms in question, and the counts are added.
 */
export class GlobalStatistics {
  readonly #known = new Map<string, TermCounts>();

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
  async of(terms: Iterable<string>, call: EngineCallOptions = {}): Promise<ReadonlyMap<string, TermCounts>> {
    const asked = [...new Set(terms)];
    const missing = asked.filter((term) => !this.#known.has(term));
    const found = new Map<string, TermCounts>();
    for (let from = 0; from < missing.length; from += termsPerCall) {
      const batch = missing.slice(from, from + termsPerCall);
      for (const term of batch) found.set(term, unknownTerm);
      for (const answer of await this.#ask(batch.join(' '), call)) {
        for (const [term, { doc_freq = 0, ttf = 0 }] of Object.entries(answer?.terms ?? {})) {
          const sum = found.get(term) ?? unknownTerm;
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
    const { docs } = await this.connection.call<{ docs: readonly TermVectorAnswer[] }>(
      {
        method: 'POST',
        path: `/${encodeURIComponent(this.index)}/_mtermvectors`,
        body: {
          docs: this.routings.map((routing) => ({
            routing,
            doc: { [this.field]: content },
            fields: [this.field],
            per_field_analyzer: { [this.field]: 'whitespace' },
            term_statistics: true,
            field_statistics: true,
            positions: false,
            offsets: false,
          })),
        },
      },
      call,
      (answer) => {
        const away = answer.docs.find(({ term_vectors: vectors }) => !vectors);
        return away && `statistics of a shard cannot be read (${away.error?.reason ?? 'no answer'})`;
      },
    );
    return docs.map(({ term_vectors: vectors }) => vectors![this.field]);
  }
}

/** A routing value for each shard. */
async function routingPerShard(
  connection: EngineConnection,
  index: string,
  call: EngineCallOptions,
): Promise<string[]> {
  const shardsOf = async (routing?: string): Promise<number[]> => {
    const { shards } = await connection.call<{ shards: readonly (readonly { shard: number }[])[] }>(
      {
        method: 'GET',
        path: `/${encodeURIComponent(index)}/_search_shards`,
        ...(routing === undefined ? {} : { query: { routing } }),
      },
      call,
      // A shard that is not available has no copies.
      ({ shards: found }) =>
        missingShards(index, found.length, found.filter((copies) => copies.length > 0).length),
    );
    return shards.map(([copy]) => copy.shard);
  };
  const all = await shardsOf();
  const routings = new Map<number, string>();
  for (let i = 0; routings.size < all.length && i < maxRoutings; i++) {
    const [shard] = await shardsOf(String(i));
    if (!routings.has(shard)) routings.set(shard, String(i));
  }
  return [...routings.values()];
}
