import type { Document, DocumentStore } from '../collection/index.js';
import { missingError } from '../common/errors.js';

/** A document of a run, from the collection of the run. */
export async function documentOf(store: DocumentStore, id: string): Promise<Document> {
  const document = (await store.get([id])).get(id);
  if (document) return document;
  throw missingError(
    `Document "${id}" of the run is not in the collection; use the index that the run was made with.`,
  );
}
