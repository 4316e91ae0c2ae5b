import { sizeLetters, sizeNames, type SizeLetter } from '../bert/sizes.js';
import { BertQeError } from '../common/errors.js';

/** The sizes of a model of the paper: BERT-QE-LMT has three, a MaxP re-ranker such as BERT-Large only the first. */
export interface Variant {
  /** The paper's name, such as BERT-QE-LMT. */
  readonly name: string;
  readonly phaseOne: SizeLetter;
  readonly expansion?: { readonly phaseTwo: SizeLetter; readonly phaseThree: SizeLetter };
}

/** Reads `LMT`, `BERT-QE-LMT` or, for MaxP, `L` and `BERT-Large`. */
export function parseVariant(text: string): Variant {
  const name = text.toUpperCase().replace(/^BERT-(QE-)?/, '');
  const sizes = sizeLetters.find((letter) => sizeNames[letter].toUpperCase() === name) ?? name;
  const wrong = [...sizes].find((letter) => !sizeLetters.includes(letter as SizeLetter));
  if (wrong !== undefined || (sizes.length !== 1 && sizes.length !== 3)) {
    const why =
      wrong === undefined ? 'it must have one letter (MaxP) or three' : `there is no size "${wrong}"`;
    throw new BertQeError(
      'usage',
      `"${text}" is not a variant: ${why}. Write a letter per phase, such as LMT, out of ${sizeLetters.join(', ')}.`,
    );
  }
  const [phaseOne, phaseTwo, phaseThree] = sizes as unknown as SizeLetter[];
  if (phaseTwo === undefined) return { name: `BERT-${sizeNames[phaseOne]}`, phaseOne };
  return { name: `BERT-QE-${sizes}`, phaseOne, expansion: { phaseTwo, phaseThree } };
}
