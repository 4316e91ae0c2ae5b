/** One call of the server's REST interface. */
export interface EngineRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** The lines of JSON of a `_bulk` request. */
  readonly lines?: string;
}

/** The kinds of search cluster that are supported. */
export const engineNames = ['opensearch', 'elasticsearch'] as const;
/** A kind of search cluster. */
export type EngineName = (typeof engineNames)[number];

/** The differences between the two servers; the rest of their REST interface is the same. */
export interface Dialect {
  openPointInTime(index: string, keepAlive: string): EngineRequest;
  pointInTimeId(answer: Readonly<Record<string, unknown>>): string;
  closePointInTime(id: string): EngineRequest;
  /** True where BM25 has the factor k1 + 1, which Lucene dropped in version 8. */
  hasOldBm25(version: string): boolean;
}

export const dialects: Readonly<Record<EngineName, Dialect>> = {
  opensearch: {
    openPointInTime: (index, keepAlive) => ({
      method: 'POST',
      path: `/${encodeURIComponent(index)}/_search/point_in_time`,
      query: { keep_alive: keepAlive },
    }),
    pointInTimeId: (answer) => String(answer['pit_id']),
    closePointInTime: (id) => ({ method: 'DELETE', path: '/_search/point_in_time', body: { pit_id: [id] } }),
    hasOldBm25: (version) => Number.parseInt(version, 10) < 3,
  },
  elasticsearch: {
    openPointInTime: (index, keepAlive) => ({
      method: 'POST',
      path: `/${encodeURIComponent(index)}/_pit`,
      query: { keep_alive: keepAlive },
    }),
    pointInTimeId: (answer) => String(answer['id']),
    closePointInTime: (id) => ({ method: 'DELETE', path: '/_pit', body: { id } }),
    hasOldBm25: () => true,
  },
};
