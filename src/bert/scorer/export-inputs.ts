/** The content of an export's input. */
export type InputMeaning = 'ids' | 'mask' | 'types';

/** Names of inputs in exports, and their contents. */
const MEANINGS: readonly (readonly [RegExp, InputMeaning])[] = [
  [/^(?:input_?ids|input_word_ids|ids|tokens)(?::0)?$/i, 'ids'],
  [/mask/i, 'mask'],
  [/(?:token_?type|segment|input_type)/i, 'types'],
];

/** The content of an input by its name; undefined if a cross-encoder has no such input. */
export function inputMeaning(name: string): InputMeaning | undefined {
  return MEANINGS.find(([pattern]) => pattern.test(name))?.[1];
}
