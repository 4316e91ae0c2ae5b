/** What an input of a model that others exported is filled with. */
export type InputMeaning = 'ids' | 'mask' | 'types';

/** What exports call their inputs, and what each is filled with. */
const MEANINGS: readonly (readonly [RegExp, InputMeaning])[] = [
  [/^(?:input_?ids|input_word_ids|ids|tokens)(?::0)?$/i, 'ids'],
  [/mask/i, 'mask'],
  [/(?:token_?type|segment|input_type)/i, 'types'],
];

/** Undefined for an input that is none of those a cross-encoder has. */
export function inputMeaning(name: string): InputMeaning | undefined {
  return MEANINGS.find(([pattern]) => pattern.test(name))?.[1];
}
