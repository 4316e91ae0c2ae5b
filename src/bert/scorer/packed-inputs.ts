/** The inputs of a packed graph for one batch. */
export interface PackedInputs {
  /** Rows of tokens in the table of positions and segments. */
  readonly slots: Int32Array<ArrayBuffer>;
  /** The first token of each sequence and the end of the last. */
  readonly starts: Int32Array<ArrayBuffer>;
  /** Places of tokens in sequences padded to the longest, `[sequences, longest]`; those of padding at the end. */
  readonly places: Int32Array<ArrayBuffer>;
  readonly longest: number;
}

/**
 * The inputs, beside the ids, of sequences that follow each other without padding. `splits` are the positions of second
 * texts, whose slots are `secondSlots` further.
 */
export function packedInputs(splits: Int32Array, lengths: Int32Array, secondSlots: number): PackedInputs {
  const rows = lengths.length;
  const starts = new Int32Array(rows + 1);
  let longest = 0;
  for (let row = 0; row < rows; row++) {
    starts[row + 1] = starts[row] + lengths[row];
    longest = Math.max(longest, lengths[row]);
  }
  const tokens = starts[rows];
  const slots = new Int32Array(tokens);
  const places = new Int32Array(rows * longest);
  let padding = tokens;
  for (let row = 0; row < rows; row++) {
    const start = starts[row];
    const length = lengths[row];
    const split = splits[row];
    const place = row * longest;
    for (let position = 0; position < split; position++) slots[start + position] = position;
    for (let position = split; position < length; position++)
      slots[start + position] = secondSlots + position;
    for (let position = 0; position < length; position++) places[start + position] = place + position;
    for (let position = length; position < longest; position++) places[padding++] = place + position;
  }
  return { slots, starts, places, longest };
}
