import type { InfoAnswer, QueriesAnswer, VariantsAnswer } from '../model/answer.js';

/** The contents of the site; the build writes it as `site.json` (scripts/build-site.ts). */
export interface SiteContent {
  readonly info: InfoAnswer;
  readonly variants: VariantsAnswer;
  readonly queries: QueriesAnswer['queries'];
  /** Query id → document id → relevance level. */
  readonly qrels: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Folder of a model → file → hash. */
  readonly integrity: Readonly<Record<string, Readonly<Record<string, string>>>>;
}
