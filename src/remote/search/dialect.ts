import type { EngineRequest } from './connection.js';

/** The servers that are spoken to. */
export const engineNames = ['opensearch', 'elasticsearch'] as const;
/** A kind of search cluster. */
export type EngineName = (typeof engineNames)[number];

/** Where the two servers differ; everything else is the same REST interface. */
export interface Dialect {
  readonly package: string;
  openPointInTime(index: string, keepAlive: string): EngineRequest;
  pointInTimeId(answer: Readonly<Record<string, unknown>>): string;
  closePointInTime(id: string): EngineRequest;
  /** Whether its BM25 has the factor k1 + 1 that Lucene dropped in version 8. */
  hasOldBm25(version: string): boolean;
}

export const dialects: Readonly<Record<EngineName, Dialect>> = {
  opensearch: {
    package: '@opensearch-project/opensearch',
    openPointInTime: (index, keepAlive) => ({
      method: 'POST',
      path: `/${encodeURIComponent(index)}/_search/point_in_time`,
      query: { keep_alive: keepAlive },
    }),
    pointInTimeId: (answer) => String(answer['pit_id']),
    closePointInTime: (id) => ({
      method: 'DELETE',
      path: '/_search/point_in_time',
      body: { pit_id: [id] },
    }),
    hasOldBm25: (version) => Number.parseInt(version, 10) < 3,
  },
  elasticsearch: {
    package: '@elastic/elasticsearch',
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
