import { badInput, ByteSource, readLines } from '../../../collection/index.js';

/**
 * Reads the stop words of a file, which may be gzipped (`-` is standard input): one word per line; `#` begins a comment,
 * and empty lines are skipped. Words are not changed; the analyzer lower-cases them.
 */
export async function readStopwords(path: string): Promise<string[]> {
  const source = ByteSource.open(path);
  const words: string[] = [];
  for await (const { text, line } of readLines(source)) {
    const word = text.replace(/(^|\s)#.*$/, '').trim();
    if (word === '') continue;
    if (/\s/.test(word)) {
      throw badInput(
        { file: source.name, line },
        `${JSON.stringify(word.slice(0, 60))} is more than one word`,
        'Put one stop word on each line.',
      );
    }
    words.push(word);
  }
  if (words.length === 0) {
    throw badInput(
      { file: source.name },
      'there is no stop word in the file',
      "Write one word per line, or ask for the stop words 'none'.",
    );
  }
  return words;
}
