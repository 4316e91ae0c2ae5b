import type { SearchAnswer } from '../../../src/server/schemas/index.js';

/** The server's own types: the page is checked against the schemas that the server answers with. */
export type {
  ExperimentsAnswer,
  InfoAnswer,
  Judgements,
  Problem,
  QueriesAnswer,
  SearchAnswer,
  SearchEvents,
  SearchProgress,
  SearchRequest,
  SearchResult,
  VariantDescription,
  VariantsAnswer,
} from '../../../src/server/schemas/index.js';

export type Explanation = NonNullable<SearchAnswer['explanation']>;
export type ExplainedChunk = Explanation['chunks'][number];
export type ExplainedDocument = Explanation['documents'][number];
