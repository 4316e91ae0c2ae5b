import { usageError } from '../../common/errors.js';
import { stopwordsOf, type AnalyzerSpec } from '../../retrieval/index.js';

/** Name of the analyzer in the index. */
export const serverAnalyzer = 'bert_qe';

/**
 * Terrier's filter against noise (see retrieval/analysis/bases.ts) in the server's script language: at most 20
 * characters, four digits, and three equal characters in a row.
 */
const noiseFilter = `
  CharSequence term = token.term;
  if (term.length() > 20) return false;
  int digits = 0;
  int repeats = 0;
  for (int i = 0; i < term.length(); i++) {
    char c = term.charAt(i);
    if (c <= (char) 57) digits++;
    repeats = i > 0 && c == term.charAt(i - 1) ? repeats + 1 : 1;
    if (digits > 4 || repeats > 3) return false;
  }
  return true;`;

/** The `analysis` settings with which a server makes the same terms as our analyzer of this spec. */
export function analysisSettings(spec: AnalyzerSpec, { scripts }: { readonly scripts: boolean }): object {
  const stopwords = [...stopwordsOf(spec)].sort();
  const filters: Record<string, object> = {};
  const chain: string[] = [];
  let tokenizer: object = { type: 'standard', max_token_length: 255 };
  switch (spec.base) {
    case 'anserini':
      filters['bert_qe_possessive'] = { type: 'stemmer', language: 'possessive_english' };
      chain.push('bert_qe_possessive', 'lowercase');
      break;
    case 'plain':
      chain.push('lowercase');
      break;
    case 'terrier':
      if (!scripts) {
        throw usageError(
          'The analyzer terrier needs a server that runs scripts; use another analyzer without scripts.',
        );
      }
      tokenizer = { type: 'pattern', pattern: '[A-Za-z0-9]+', group: 0 };
      filters['bert_qe_noise'] = { type: 'predicate_token_filter', script: { source: noiseFilter } };
      chain.push('bert_qe_noise', 'lowercase');
      break;
    default:
      throw usageError(`There are no server settings for the analyzer ${String(spec.base)}.`);
  }
  if (stopwords.length > 0) {
    filters['bert_qe_stopwords'] = { type: 'stop', stopwords };
    chain.push('bert_qe_stopwords');
  }
  if (spec.stemmer === 'porter') chain.push('porter_stem');
  return {
    tokenizer: { bert_qe_tokenizer: tokenizer },
    filter: filters,
    analyzer: { [serverAnalyzer]: { type: 'custom', tokenizer: 'bert_qe_tokenizer', filter: chain } },
  };
}
