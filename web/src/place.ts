/** True for the static site, where the models run in the page; false for the page of a server. */
export const isSite = import.meta.env.MODE === 'site';

/** The collection that is searched where no documents are given. */
export const indexName = isSite ? 'The demo collection' : 'The index';
