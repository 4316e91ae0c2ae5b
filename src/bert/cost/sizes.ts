import type { SizeLetter } from '../index.js';

/** What an encoder's cost depends on. */
export interface EncoderShape {
  readonly layers: number;
  readonly hidden: number;
  /** Width of the feed-forward part: 4·hidden in every size of the paper. */
  readonly intermediate: number;
}

const shape = (layers: number, hidden: number): EncoderShape => ({
  layers,
  hidden,
  intermediate: 4 * hidden,
});

/** Table 1 of the paper. */
export const encoderSizes: Readonly<Record<SizeLetter, EncoderShape>> = {
  T: shape(2, 128),
  S: shape(4, 256),
  M: shape(8, 512),
  B: shape(12, 768),
  L: shape(24, 1024),
};

/** What the paper calls them. */
export const sizeNames: Readonly<Record<SizeLetter, string>> = {
  T: 'Tiny',
  S: 'Small',
  M: 'Medium',
  B: 'Base',
  L: 'Large',
};
