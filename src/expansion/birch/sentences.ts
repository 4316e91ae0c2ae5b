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

/**
 * True for a text that does not end a sentence: it is a number with a full stop (`2.`), or ends with an abbreviation,
 * an initial (`J.`) or letters with full stops (`e.g.`, `U.S.`).
 */
function isOpen(text: string): boolean {
  if (/^\(?\p{N}+ ?\.$/u.test(text)) return true;
  const match = /(?:^|[\s("'[])(\p{L}+)\.$/u.exec(text);
  if (match) return match[1].length === 1 ? match[1] !== 'I' : abbreviations.has(match[1].toLowerCase());
  return /(?:^|[\s("'[])(?:\p{L}\.){2,}$/u.test(text);
}

/**
 * The sentences of a document, white space collapsed: the title first, then those of its text. One that has more
 * than 128 words is cut into pieces of that length. A document without words has none.
 */
export function sentencesOf(
  { title = '', text }: Titled,
  split: (text: string) => readonly string[] = splitSentences,
): string[] {
  const titleWords = wordsOf(title);
  // Robust04 marks "no title" by a full stop.
  const heading = titleWords.join(' ');
  const sentences = heading === '' || heading === '.' ? [] : pieces(titleWords);
  for (const sentence of split(text)) sentences.push(...pieces(wordsOf(sentence)));
  return sentences;
}

/** Splits a text into sentences. A part that has neither a letter nor a digit belongs to the one before. */
export function splitSentences(text: string): string[] {
  const sentences: string[][] = [];
  let end = '';
  for (const part of partsOf(wordsOf(text).join(' '))) {
    const sentence = part.trim();
    if (sentence === '') continue;
    const hasWords = /[\p{L}\p{N}]/u.test(sentence);
    const isJoined = sentences.length > 0 && (!hasWords || isOpen(end));
    if (isJoined) sentences.at(-1)!.push(sentence);
    else sentences.push([sentence]);
    // A few characters tell whether the sentence goes on.
    end = (isJoined ? `${end} ${sentence}` : sentence).slice(-40);
  }
  return sentences.map((parts) => parts.join(' '));
}

/** The text cut wherever a sentence may end. Without capital letters, Unicode's rules find hardly any full stop. */
function partsOf(text: string): string[] {
  const parts = segmentsOf(text);
  if (/\p{Lu}/u.test(text)) return parts;
  return parts.flatMap((part) => part.split(/(?<=[.!?]["')\]]*) /u));
}

/** Characters that are segmented at a time: the segmenter's time grows with the square of the text's length. */
const blockLength = 4096;

/** The segments of a text, block by block. The last one of a block is segmented again with what follows it. */
function segmentsOf(text: string): string[] {
  const segments: string[] = [];
  let length = blockLength;
  for (let from = 0; from < text.length;) {
    const found = Array.from(segmenter.segment(text.slice(from, from + length)), ({ segment }) => segment);
    if (from + length < text.length) {
      if (found.length === 1) {
        length *= 2;
        continue;
      }
      found.pop();
    }
    for (const segment of found) from += segment.length;
    segments.push(...found);
    length = blockLength;
  }
  return segments;
}

function pieces(words: readonly string[]): string[] {
  const cut: string[] = [];
  for (let i = 0; i < words.length; i += longestSentence) {
    cut.push(words.slice(i, i + longestSentence).join(' '));
  }
  return cut;
}
