import { sizeLetters, type SizeLetter } from '../../bert/index.js';

/** A system that the paper compares with, by its name in tables: `Birch-S`, `CEDR-KNRM-S`. */
export interface ControlName {
  readonly name: string;
  readonly control: ControlKind;
  /** The size of the cross-encoder that it uses or starts from. */
  readonly size: SizeLetter;
}

export type ControlKind = 'Birch' | 'CEDR-KNRM';

const kinds: readonly ControlKind[] = ['Birch', 'CEDR-KNRM'];

/** The control of this name, if there is one. */
export function parseControl(text: string): ControlName | undefined {
  for (const control of kinds) {
    const size = sizeLetters.find((letter) => text.toLowerCase() === `${control}-${letter}`.toLowerCase());
    if (size !== undefined) return { name: `${control}-${size}`, control, size };
  }
  return undefined;
}
