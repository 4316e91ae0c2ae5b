/** Takes the tokens of a text in order, each as the half-open range `[start, end)` of UTF-16 units. */
export interface TokenSink {
  token(text: string, start: number, end: number): void;
}

/** Cuts a text into tokens. Ranges rather than strings, so that a word seen before costs no allocation. */
export type Tokenizer = (text: string, sink: TokenSink) => void;
