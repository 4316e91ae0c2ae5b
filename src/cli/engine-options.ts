import type { EngineConnection, EngineName } from '../remote/index.js';
import { BertQeError } from '../common/errors.js';
import type { OptionSpecs, OptionValues } from './options.js';

/** The options with which a command is pointed at a search cluster. */
export const clusterOptions = {
  engine: {
    type: 'string',
    choices: ['opensearch', 'elasticsearch'] satisfies EngineName[],
    help: 'use an index on a search cluster; --index then is its name',
  },
  url: { type: 'string', value: 'URL', multiple: true, help: 'a node of the cluster, e.g. http://host:9200' },
} as const satisfies OptionSpecs;

/** As {@link clusterOptions}, for commands that read an index that somebody else may have made. */
export const engineOptions = {
  ...clusterOptions,
  'text-field': {
    type: 'string',
    value: 'FIELD',
    help: 'cluster: the text field of an index not made by bert-qe (BM25 as the server has it)',
  },
  'title-field': { type: 'string', value: 'FIELD', help: 'cluster: the title field of such an index' },
} as const satisfies OptionSpecs;

export type ClusterValues = OptionValues<typeof clusterOptions>;
export type EngineValues = OptionValues<typeof engineOptions>;

/** Options that mean something only together with `--engine`. */
export function refuseEngineOptions(values: Partial<EngineValues>): void {
  for (const name of ['url', 'text-field', 'title-field'] as const) {
    const value = values[name];
    if (value === undefined || (Array.isArray(value) && value.length === 0)) continue;
    throw new BertQeError('usage', `--${name} has no effect without --engine opensearch or elasticsearch.`);
  }
}

export async function connect(
  { engine, url }: ClusterValues,
  signal: AbortSignal,
): Promise<EngineConnection> {
  if (url.length === 0) {
    throw new BertQeError('usage', `--engine ${engine} needs --url, e.g. --url http://localhost:9200.`);
  }
  // Loaded when it is needed: most searches need neither a client nor a model.
  const { EngineConnection } = await import('../remote/index.js');
  return EngineConnection.open({ engine: engine!, urls: url }, { signal });
}
