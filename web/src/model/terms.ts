import { porterStem } from '../../../src/retrieval/analysis/porter.js';
import { TERRIER_STOPWORDS } from '../../../src/retrieval/analysis/stopwords/terrier.js';
import { wordsOf } from '../../../src/expansion/windows.js';

/** The stem by which words are matched; `''` for stop words and punctuation. */
export function termOf(word: string): string {
  const bare = word.toLowerCase().replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$|['’]s\b/gu, '');
  return bare === '' || TERRIER_STOPWORDS.has(bare) ? '' : porterStem(bare);
}

/** Tells the words that some texts have in common with others. */
export function termMatcher(texts: readonly string[]): (word: string) => boolean {
  const terms = new Set(texts.flatMap((text) => wordsOf(text)).map((word) => termOf(word)));
  terms.delete('');
  return (word) => terms.has(termOf(word));
}
