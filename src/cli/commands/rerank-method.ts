import { formatRun } from '../../collection/index.js';
import { DEFAULTS, chunkSources, type BertQEOptions, type RerankedQuery } from '../../expansion/index.js';
import type { OptionValues } from '../options.js';
import type { JournalEntry } from './rerank-journal.js';

/** How BERT-QE works; every default but those of α, β, kc and m is the paper’s. */
export const methodOptions = {
  alpha: {
    type: 'number',
    min: 0,
    max: 1,
    default: DEFAULTS.alpha,
    help: 'share of rel(C,d) against rel(q,d)',
  },
  beta: {
    type: 'number',
    min: 0,
    max: 1,
    default: DEFAULTS.beta,
    help: 'share of ln M against the initial score',
  },
  kd: { type: 'integer', min: 1, default: DEFAULTS.kd, help: 'feedback documents' },
  kc: { type: 'integer', min: 1, default: DEFAULTS.kc, help: 'chunks kept for phase three' },
  'chunk-words': { type: 'integer', min: 1, default: DEFAULTS.chunkWords, help: 'words of a chunk (m)' },
  'passage-words': { type: 'integer', min: 1, default: DEFAULTS.passageWords, help: 'words of a passage' },
  'title-words': {
    type: 'integer',
    min: 0,
    default: DEFAULTS.titleWords,
    help: 'words of the title before every passage',
  },
  'chunk-source': {
    type: 'string',
    choices: chunkSources,
    default: 'best-passage',
    help: 'where chunks come from',
  },
  'drop-query-score': { type: 'boolean', help: 'ablation: leave rel(q,d) out of the combination' },
  depth: {
    type: 'integer',
    min: 1,
    default: DEFAULTS.depth,
    help: 'documents that are re-ranked; the rest keep their order',
  },
} as const;

/** As the library names them. */
export function bertQeOptions(options: OptionValues<typeof methodOptions>): BertQEOptions {
  return {
    alpha: options.alpha,
    beta: options.beta,
    kd: options.kd,
    kc: options.kc,
    chunkWords: options['chunk-words'],
    passageWords: options['passage-words'],
    titleWords: options['title-words'],
    chunkSource: options['chunk-source'],
    dropQueryScore: options['drop-query-score'],
    depth: options.depth,
  };
}

/** Which of the two kinds of output are wanted. */
export interface WantedOutputs {
  readonly run: boolean;
  readonly explanations: boolean;
}

/** What is kept of a query: its lines in the files that are made. */
export async function entryOf(
  query: RerankedQuery,
  tag: string,
  wanted: WantedOutputs,
): Promise<JournalEntry> {
  let run = '';
  const ranking = [{ query: query.query.id, ranking: query.ranking }];
  if (wanted.run) for await (const lines of formatRun(ranking, tag)) run += lines;
  const explanation = `${JSON.stringify(query.explanation)}\n`;
  return { query: query.query.id, run, ...(wanted.explanations ? { explanation } : {}) };
}
