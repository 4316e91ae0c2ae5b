import type { FeedBatch } from '../../training/network/index.js';
import type { Terms } from '../words/vocabulary.js';
import { INPUTS, windowWords, wordVectors } from './graph.js';

/** A text as the numbers of its words, in order. */
export type WordNumbers = ArrayLike<number>;

/** The longest text in words, as in the released code; the rest of a longer one is cut off. */
const longestText = 1000;

/** The words of a text. Words that the collection lacks are left out. */
export function textNumbers({ analyzer, numbers }: Terms, text: string): WordNumbers {
  const found: number[] = [];
  for (const term of analyzer.analyze(text)) {
    const number = numbers.get(term);
    if (number !== undefined && found.push(number) === longestText) break;
  }
  return found;
}

/** A query with a relevant and another document, in words. */
export interface WordPair {
  readonly query: WordNumbers;
  readonly relevant: WordNumbers;
  readonly other: WordNumbers;
}

export function textBatch(texts: readonly WordNumbers[]): FeedBatch {
  return batchOf({ [INPUTS.texts]: texts });
}

/** The batch of some pairs of documents, each of a weight, with the weight of the sum of their activations. */
export function pairBatch(pairs: readonly WordPair[], weight: number, penalty: number): FeedBatch {
  const { feeds, rows } = batchOf({
    [INPUTS.texts]: pairs.map(({ query }) => query),
    [INPUTS.relevant]: pairs.map(({ relevant }) => relevant),
    [INPUTS.others]: pairs.map(({ other }) => other),
  });
  const ofPairs = (value: number) => ({
    dims: [pairs.length, 1],
    data: new Float32Array(pairs.length).fill(value),
  });
  return {
    feeds: { ...feeds, [INPUTS.targets]: ofPairs(weight), [INPUTS.penalties]: ofPairs(penalty) },
    rows,
  };
}

/**
 * The batch of all windows of some texts: one around each word, with nothing where the text has ended. An input's rows have
 * the shares of windows in the texts of its group; a text without words has none. There is always a window.
 */
function batchOf(
  groups: Readonly<Record<string, readonly WordNumbers[]>>,
): Required<Pick<FeedBatch, 'feeds' | 'rows'>> {
  const texts = Object.values(groups).flat();
  const windows = Math.max(
    1,
    texts.reduce((sum, { length }) => sum + length, 0),
  );
  const words = new Int32Array(windows * windowWords);
  const rows = new Int32Array(words.length).fill(-1);
  const mask = new Float32Array(words.length);
  const reach = (windowWords - 1) / 2;
  let at = 0;
  const shares = Object.entries(groups).map(([name, some]) => {
    const data = new Float32Array(some.length * windows);
    some.forEach((text, i) => {
      data.fill(1 / text.length, i * windows + at, i * windows + at + text.length);
      for (let centre = 0; centre < text.length; centre++, at++) {
        for (let place = 0; place < windowWords; place++) {
          const word = centre + place - reach;
          if (word < 0 || word >= text.length) continue;
          const slot = at * windowWords + place;
          words[slot] = rows[slot] = text[word];
          mask[slot] = 1;
        }
      }
    });
    return [name, { dims: [some.length, windows], data }] as const;
  });
  return {
    feeds: {
      [INPUTS.words]: { dims: [words.length], data: words },
      [INPUTS.mask]: { dims: [words.length, 1], data: mask },
      ...Object.fromEntries(shares),
    },
    rows: { [wordVectors]: rows },
  };
}
