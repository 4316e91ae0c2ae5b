/** The five sizes of the paper: Tiny, Small (Google's "Mini"), Medium, Base, Large. */
export type SizeLetter = 'T' | 'S' | 'M' | 'B' | 'L';

/** The dimensions that an encoder's cost depends on. */
export interface EncoderShape {
  readonly layers: number;
  readonly hidden: number;
  /** Width of the feed-forward part: 4·hidden in every size of the paper. */
  readonly intermediate: number;
}

const size = (layers: number, hidden: number, heads: number): EncoderShape & { readonly heads: number } => ({
  layers,
  hidden,
  heads,
  intermediate: 4 * hidden,
});

/** Table 1 of the paper. */
export const encoderSizes = {
  T: size(2, 128, 2),
  S: size(4, 256, 4),
  M: size(8, 512, 8),
  B: size(12, 768, 12),
  L: size(24, 1024, 16),
} as const satisfies Readonly<Record<SizeLetter, EncoderShape>>;

export const sizeLetters = Object.keys(encoderSizes) as readonly SizeLetter[];

/** The sizes' names in the paper. */
export const sizeNames: Readonly<Record<SizeLetter, string>> = {
  T: 'Tiny',
  S: 'Small',
  M: 'Medium',
  B: 'Base',
  L: 'Large',
};

/** Names of the folders with a model of each size. */
export const SIZE_FOLDERS: Readonly<Record<SizeLetter, string>> = {
  T: 'tiny',
  S: 'small',
  M: 'medium',
  B: 'base',
  L: 'large',
};

/** The paper's letter for a model of these dimensions, if it is one of the five sizes. */
export function sizeLetter({
  layers,
  hidden,
}: Pick<EncoderShape, 'layers' | 'hidden'>): SizeLetter | undefined {
  return sizeLetters.find(
    (letter) => encoderSizes[letter].layers === layers && encoderSizes[letter].hidden === hidden,
  );
}
