import { sizeLetters, type SizeLetter } from '../../bert/index.js';

/** A system that the paper compares with, by its name in tables: `Birch-S`, `CEDR-KNRM-S`, `NPRF-DRMM`. */
export interface ControlName {
  readonly name: string;
  readonly control: ControlKind;
  /** The size of the cross-encoder that it uses or starts from; NPRF-DRMM has none. */
  readonly size?: SizeLetter;
}

export type ControlKind = 'Birch' | 'CEDR-KNRM' | 'NPRF-DRMM';

const withSizes = ['Birch', 'CEDR-KNRM'] as const;

/** The control of this name, if there is one. */
export function parseControl(text: string): ControlName | undefined {
  const wanted = text.toLowerCase();
  if (wanted === 'nprf-drmm') return { name: 'NPRF-DRMM', control: 'NPRF-DRMM' };
  for (const control of withSizes) {
    const size = sizeLetters.find((letter) => wanted === `${control}-${letter}`.toLowerCase());
    if (size !== undefined) return { name: `${control}-${size}`, control, size };
  }
  return undefined;
}
