import type { TextUnits } from './text-units.js';

/** Takes the tokens of a text in order, each as the half-open range `[start, end)` of its units. */
export interface TokenSink {
  token(units: TextUnits, start: number, end: number): void;
}

/** Cuts a text into tokens. Ranges rather than strings, so that a word seen before costs no allocation. */
export type Tokenizer = (units: TextUnits, sink: TokenSink) => void;
