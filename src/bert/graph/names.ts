/** What the graphs written here call their inputs and output. */
export const GRAPH_IDS = 'input_ids';
export const GRAPH_SLOTS = 'slots';
export const GRAPH_LOGITS = 'logits';
/** In packed graphs: the first token of each sequence and the end of the last. */
export const GRAPH_STARTS = 'sequence_starts';
/** In packed graphs: where each token stands once sequences are padded, then where padding stands. */
export const GRAPH_PLACES = 'token_places';
