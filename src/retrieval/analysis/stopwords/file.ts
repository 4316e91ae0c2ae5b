import { badInput, ByteSource, readLines } from '../../../collection/index.js';

/**
 * The stop words of a file (`-` for standard input; may be gzipped): one word per line, `#` begins a comment, empty lines
 * are skipped. The words are given as they stand; the analyzer puts them in lower case.
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
