import type { SearchAnswer } from '../../../src/server/api.js';

/** The server's own types: the page is checked against the schemas that the server answers with. */
export type * from '../../../src/server/api.js';

export type Explanation = NonNullable<SearchAnswer['explanation']>;
export type ExplainedChunk = Explanation['chunks'][number];
export type ExplainedDocument = Explanation['documents'][number];
