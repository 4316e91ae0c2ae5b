import { hashJson } from '../../common/hash.js';
import { Journal } from '../../common/journal.js';

/**
 * The journal of what models found for each query before training, such as best passages. Collecting it takes as long
 * as training, so an interrupted training resumes after the last finished query.
 */
export type ExampleJournal<Found> = Journal<{ readonly query: string; readonly found: Found }>;

/** What a model found under a key: from the journal, or by `find` and then into the journal. */
export async function findOnce<Found>(
  journal: ExampleJournal<Found>,
  key: string,
  find: () => Promise<Found>,
): Promise<Found> {
  const known = await journal.get(key);
  if (known) return known.found;
  const found = await find();
  await journal.append({ query: key, found });
  return found;
}

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
