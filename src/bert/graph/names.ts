/** What the graphs written here call their inputs and output. */
export const GRAPH_IDS = 'input_ids';
export const GRAPH_SLOTS = 'slots';
export const GRAPH_LOGITS = 'logits';
