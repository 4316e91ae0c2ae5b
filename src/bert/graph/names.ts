/**
 * The form of a graph's batches: sequences of one length; sequences padded to the longest; or sequences of any lengths
 * that follow each other without padding.
 */
export type BatchForm = 'equal' | 'padded' | 'packed';

/** Names of inputs and output. */
export const GRAPH_IDS = 'input_ids';
export const GRAPH_SLOTS = 'slots';
export const GRAPH_LOGITS = 'logits';
/** In packed graphs: the first token of each sequence and the end of the last. */
export const GRAPH_STARTS = 'sequence_starts';
/** In packed graphs: the place of each token in padded sequences, then the places of padding. */
export const GRAPH_PLACES = 'token_places';
