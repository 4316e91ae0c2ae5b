import type { Document, DocumentStore } from '../../collection/index.js';
import { corruptError, inputError, missingError, reasonOf, usageError } from '../../common/errors.js';
import { analyzerFromSpec, type Analyzer } from '../../retrieval/index.js';
import { anything, dictionary, list, number, object, optional, text as aText } from './answer-shape.js';
import { refusalOf } from '../net/exchange.js';
import { missingAnswers, type EngineCallOptions, type EngineConnection } from './connection.js';
import { fields, type EngineManifest, type EngineStatistics, type NativeSimilarities } from './definition.js';
import { GlobalStatistics } from './global-statistics.js';
import { maxIdBytes } from './load-items.js';

/** The fields of an index that bert-qe did not make. */
export interface ForeignFields {
  /** The field that is searched and re-ranked. */
  readonly text: string;
  readonly title?: string;
}

const fetchSize = 500;

/** An index on a search cluster: its documents by id, and the statistics that retrieval needs. */
export class EngineIndex implements DocumentStore {
  private constructor(
    readonly connection: EngineConnection,
    readonly name: string,
    /** Absent for an index that bert-qe did not make; the server then analyses texts by its own rules. */
    readonly manifest: EngineManifest | undefined,
    readonly statistics: EngineStatistics,
    readonly terms: GlobalStatistics,
    private readonly source: { readonly title: string | undefined; readonly text: string },
  ) {}

  /** Opens an index that `bert-qe index --engine` made or, with its fields named, any other. */
  static async open(
    connection: EngineConnection,
    name: string,
    { foreign, ...call }: EngineCallOptions & { foreign?: ForeignFields | undefined } = {},
  ): Promise<EngineIndex> {
    if (foreign) return EngineIndex.#openForeign(connection, name, foreign, call);
    const manifest = await readIndexManifest(connection, name, call);
    const terms = await GlobalStatistics.open(connection, name, fields.content, call);
    if (manifest.load.state !== 'complete' || !manifest.statistics) {
      throw inputError(
        `The index ${name} on ${connection.address} is not completely loaded; run bert-qe index again to continue.`,
      );
    }
    return new EngineIndex(connection, name, manifest, manifest.statistics, terms, fields);
  }

  static async #openForeign(
    connection: EngineConnection,
    name: string,
    { text, title }: ForeignFields,
    call: EngineCallOptions,
  ): Promise<EngineIndex> {
    await mappingOf(connection, name, call);
    const terms = await GlobalStatistics.open(connection, name, text, call);
    const { count } = await connection.call(
      { method: 'GET', path: `/${encodeURIComponent(name)}/_count` },
      object({ count: number }),
      call,
    );
    const { documents: nonEmptyDocuments, tokens } = await terms.ofField(call);
    const statistics = { documents: count, nonEmptyDocuments, tokens, maxLength: 0 };
    return new EngineIndex(connection, name, undefined, statistics, terms, { text, title });
  }

  /** Name of the field with the terms. */
  get content(): string {
    return this.terms.field;
  }

  get native(): NativeSimilarities {
    return this.manifest?.native ?? {};
  }

  /** The analyzer that makes the same terms as the server; undefined for an index that bert-qe did not make. */
  get analyzer(): Analyzer | undefined {
    return this.manifest && analyzerFromSpec(this.manifest.analyzer);
  }

  /** The terms of a text, analysed by the server. */
  async analyze(text: string, call: EngineCallOptions = {}): Promise<string[]> {
    if (text === '') return [];
    const path = `/${encodeURIComponent(this.name)}/_analyze`;
    const request = { method: 'POST', path, body: { field: this.content, text } } as const;
    const { tokens } = await this.connection.call(request, analysis, call);
    return tokens.map(({ token }) => token);
  }

  async get(ids: readonly string[], call: EngineCallOptions = {}): Promise<Map<string, Document>> {
    const { text, title } = this.source;
    const path = `/${encodeURIComponent(this.name)}/_mget`;
    const query = { _source_includes: title === undefined ? text : `${title},${text}` };
    const documents = new Map<string, Document>();
    // One id that is too long would make the server refuse the whole request.
    const possible = ids.filter((id) => id !== '' && Buffer.byteLength(id) <= maxIdBytes);
    for (let from = 0; from < possible.length; from += fetchSize) {
      const asked = possible.slice(from, from + fetchSize);
      const { docs } = await this.connection.call(
        { method: 'POST', path, query, body: { ids: asked } },
        fetchedDocuments,
        call,
        (answer) => {
          const away = answer.docs.find(({ error }) => error !== undefined);
          return away ? `document "${away._id}" cannot be read` : missingAnswers(answer.docs, asked);
        },
      );
      for (const { _id: id, found, _source: source } of docs) {
        if (!found) continue;
        const heading = title === undefined ? '' : textOf(source?.[title]);
        const body = textOf(source?.[text]);
        documents.set(id, heading === '' ? { id, text: body } : { id, title: heading, text: body });
      }
    }
    return documents;
  }
}

const analysis = object({ tokens: list(object({ token: aText })) });

const fetchedDocuments = object({
  docs: list(
    object({ _id: aText, found: anything, error: anything, _source: optional(dictionary(anything)) }),
  ),
});

/** Mappings by index; `_meta` is anybody's. */
const mappings = dictionary(
  object({ mappings: optional(object({ _meta: optional(dictionary(anything)) })) }),
);

/** The parts of a manifest that are relied on; the analyzer is checked where it is made. */
const manifestShape = object({
  analyzer: anything,
  native: dictionary(dictionary(number)),
  scripts: anything,
  replicas: number,
  load: object({ state: aText, acknowledged: number, lastId: optional(aText) }),
  statistics: optional(
    object({ documents: number, nonEmptyDocuments: number, tokens: number, maxLength: number }),
  ),
});

/** The text of a field, which may hold several values or none. */
function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return Array.isArray(value) ? value.map(textOf).join(' ') : String(value);
}

async function mappingOf(
  connection: EngineConnection,
  name: string,
  call: EngineCallOptions,
): Promise<Readonly<Record<string, unknown>>> {
  try {
    const answer = await connection.call(
      { method: 'GET', path: `/${encodeURIComponent(name)}/_mapping` },
      mappings,
      call,
    );
    return Object.values(answer)[0]?.mappings?._meta ?? {};
  } catch (error) {
    if (refusalOf(error)?.status !== 404) throw error;
    throw missingError(
      `There is no index ${name} on ${connection.address}; load a collection with: ` +
        `bert-qe index COLLECTION --engine ${connection.engine} --url … --index ${name}`,
      error,
    );
  }
}

/** Reads the manifest in the index's mapping. */
export async function readIndexManifest(
  connection: EngineConnection,
  name: string,
  call: EngineCallOptions = {},
): Promise<EngineManifest> {
  const manifest = (await mappingOf(connection, name, call))['bert_qe'] as EngineManifest | undefined;
  if (manifest?.format !== 'bert-qe-engine-index') {
    throw usageError(
      `The index ${name} on ${connection.address} was not made by bert-qe; name its field with --text-field.`,
    );
  }
  if (manifest.version !== 1) {
    throw corruptError(
      `The index ${name} has format ${String(manifest.version)}, this version reads 1; load it again.`,
    );
  }
  try {
    manifestShape(manifest, '');
  } catch (cause) {
    const reason = `${reasonOf(cause)}; load it again`;
    throw corruptError(`The manifest of the index ${name} is damaged: ${reason}.`, cause);
  }
  return manifest;
}
