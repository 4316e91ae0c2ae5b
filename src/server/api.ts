/** The types of the server's own routes, for the page and other clients in TypeScript. Import them with `import type`. */
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
} from './schemas/index.js';
