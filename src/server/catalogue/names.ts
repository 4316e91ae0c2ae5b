import { basename } from 'node:path';
import { sizeLetters, sizeNames } from '../../bert/index.js';
import { parseVariant } from '../../expansion/index.js';
import { usageError } from '../../common/errors.js';

/** A variant that `--models` names, before anything is loaded. */
export interface NamedVariant {
  readonly id: string;
  readonly name: string;
  /** Other names, in the spelling that is shown. */
  readonly aliases: readonly string[];
  /** Models of phases one, two and three; one model for a plain re-ranker. */
  readonly models: readonly string[];
}

const letters = /^(bert-(qe-)?)?([tsmbl]|[tsmbl]{3})$/i;

/**
 * Reads the name of a variant. `SST` or `S`: the paper's letters. `a+b+c`: three models by name or path. Anything else:
 * one model by name or path, as a plain re-ranker.
 */
export function namedVariant(text: string): NamedVariant {
  if (letters.test(text) || isSizeName(text)) {
    const { name, phaseOne, expansion } = parseVariant(text);
    if (expansion) {
      const models = [phaseOne, expansion.phaseTwo, expansion.phaseThree];
      const word = models.join('');
      return { id: `bert-qe-${word}`, name, aliases: [word], models };
    }
    const size = sizeNames[phaseOne].toLowerCase();
    return { id: size, name, aliases: [phaseOne, `bert-${size}`], models: [phaseOne] };
  }
  const models = text.split('+').map((model) => model.trim());
  if (models.length === 1) return { id: basename(text), name: basename(text), aliases: [], models };
  if (models.length !== 3 || models.includes('')) {
    throw usageError(
      `"${text}" names no models: write letters such as SST, one model, or three as in phase1+phase2+phase3.`,
    );
  }
  const id = models.map((model) => basename(model)).join('+');
  return { id, name: `BERT-QE (${id})`, aliases: [], models };
}

function isSizeName(text: string): boolean {
  const word = text.toLowerCase().replace(/^bert-/, '');
  return sizeLetters.some((letter) => sizeNames[letter].toLowerCase() === word);
}
