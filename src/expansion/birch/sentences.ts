import type { Titled } from '../passages.js';
import { wordsOf } from '../windows.js';

/** Words of the longest sentence; a longer one is cut, so that no part of it is beyond the model's input. */
const longestSentence = 128;

/** Breaks sentences by Unicode's rules (UAX 29). */
const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

/**
 * Abbreviations that usually stand inside a sentence, in front of a name or a number. Unicode's rules break behind
 * their full stop when a capital letter or a digit follows.
 */
const abbreviations = new Set(
  (
    'adm al apr approx art aug brig bros capt cf ch chap cmdr co col corp dec dept dr ed eds eq eqs ex feb fig figs ' +
    'gen gov hon inc jan jr jul jun lt ltd maj mar messrs mr mrs ms mt nos nov oct p pp prof pt ref refs rep rev sec ' +
    'sect sen sens sep sept sgt sr st supt v viz vol vols vs'
  ).split(' '),
);

/** True for a text that ends with an abbreviation, an initial (`J.`) or letters with full stops (`e.g.`, `U.S.`). */
function isOpen(text: string): boolean {
  const match = /(?:^|[\s("'[])(\p{L}+)\.$/u.exec(text);
  if (match) return match[1].length === 1 ? match[1] !== 'I' : abbreviations.has(match[1].toLowerCase());
  return /(?:^|[\s("'[])(?:\p{L}\.){2,}$/u.test(text);
}

/**
 * The sentences of a document, white space collapsed: the title first, then those of its text. One that has more
 * than 128 words is cut into pieces of that length. A document without words has none.
 */
export function sentencesOf({ title = '', text }: Titled): string[] {
  const titleWords = wordsOf(title);
  // Robust04 marks "no title" by a full stop.
  const heading = titleWords.join(' ');
  const sentences = heading === '' || heading === '.' ? [] : pieces(titleWords);
  for (const sentence of splitSentences(text)) sentences.push(...pieces(wordsOf(sentence)));
  return sentences;
}

/** Splits a text into sentences. Those that have neither a letter nor a digit belong to the one before. */
export function splitSentences(text: string): string[] {
  const sentences: string[] = [];
  let isJoined = false;
  for (const { segment } of segmenter.segment(wordsOf(text).join(' '))) {
    const sentence = segment.trim();
    if (sentence === '') continue;
    const hasWords = /[\p{L}\p{N}]/u.test(sentence);
    const last = sentences.length - 1;
    if (last >= 0 && (isJoined || !hasWords)) sentences[last] += ` ${sentence}`;
    else sentences.push(sentence);
    isJoined = isOpen(sentence);
  }
  return sentences;
}

function pieces(words: readonly string[]): string[] {
  const cut: string[] = [];
  for (let i = 0; i < words.length; i += longestSentence) {
    cut.push(words.slice(i, i + longestSentence).join(' '));
  }
  return cut;
}
