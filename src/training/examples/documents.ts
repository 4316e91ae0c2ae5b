import type { Document, DocumentStore, Query } from '../../collection/index.js';
import { BertQeError } from '../../common/errors.js';

/** The documents of a query's candidates, in the order of the ids. */
export async function documentsOf(
  query: Query,
  ids: readonly string[],
  documents: DocumentStore,
): Promise<Document[]> {
  const found = await documents.get(ids);
  return ids.map((id) => {
    const document = found.get(id);
    if (document) return document;
    throw new BertQeError(
      'missing',
      `Document "${id}", ranked for query "${query.id}", is not in the index; name the index that the run was made from.`,
    );
  });
}
