import type { Document, DocumentStore } from '../collection/index.js';
import { missingError } from '../common/errors.js';
import { memoised } from '../common/lazy.js';

/** What is made of each document of a run, once. */
export function perDocument<Made>(
  store: DocumentStore,
  make: (document: Document) => Made,
): (id: string) => Promise<Made> {
  return memoised(async (id) => {
    const document = (await store.get([id])).get(id);
    if (document) return make(document);
    throw missingError(
      `Document "${id}" of the run is not in the collection; use the index that the run was made with.`,
    );
  });
}
