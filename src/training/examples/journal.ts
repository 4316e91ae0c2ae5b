import { hashJson } from '../../common/hash.js';
import { Journal } from '../../common/journal.js';

/**
 * The journal of what models found for each query before training, such as best passages. Collecting it takes as long
 * as training, so an interrupted training resumes after the last finished query.
 */
export type ExampleJournal<Found> = Journal<{ readonly query: string; readonly found: Found }>;

/** Opens the journal of a configuration; that of another configuration is replaced. */
export function openExampleJournal<Found>(
  path: string,
  configuration: unknown,
): Promise<ExampleJournal<Found>> {
  return Journal.open(path, {
    kind: 'bert-qe training 1',
    inputs: { configuration: hashJson(configuration) },
    keysOf: ({ query }) => [query],
    ifOther: 'replace',
  });
}
