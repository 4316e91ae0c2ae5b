import { hashJson } from '../../common/hash.js';
import { Journal } from '../../common/journal.js';

/**
 * What models found for each query before training, such as best passages. Finding takes as long as training, so an
 * interrupted training goes on after the last finished query.
 */
export type FoundJournal<Found> = Journal<{ readonly query: string; readonly found: Found }>;

/** Opens the journal of a configuration; the journal of another is replaced. */
export function openFoundJournal<Found>(path: string, configuration: unknown): Promise<FoundJournal<Found>> {
  return Journal.open(path, {
    kind: 'bert-qe training 1',
    inputs: { configuration: hashJson(configuration) },
    keyOf: ({ query }) => query,
    ifOther: 'replace',
  });
}
