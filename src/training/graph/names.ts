/** Names of the graphs' inputs and outputs. Weights are inputs under their own names. */
export const IDS = 'ids';
export const SEGMENTS = 'segments';
/** The bias of attention scores: 0, and for padding a large negative number. */
export const PADDING = 'padding';
/** Targets of the loss, see loss.ts. */
export const TARGETS = 'targets';
/** The id of every token that was masked, and -1 for the others, see masked-loss.ts. */
export const WANTED = 'wanted';
/** What a scoring graph gives: logits of BERT, or its loss where validation goes by that; numbers per document of other networks. */
export const SCORES = 'scores';
export const LOSS = 'loss';
/** The gradient of the summed embeddings, a row per token. */
export const TOKEN_GRADIENTS = 'gradient of tokens';

export function gradientOf(weight: string): string {
  return `gradient of ${weight}`;
}

/** The three embedding tables, whose gradients are summed outside of the graph. */
export const WORDS = 'embeddings.word_embeddings.weight';
export const POSITIONS = 'embeddings.position_embeddings.weight';
export const TYPES = 'embeddings.token_type_embeddings.weight';

/** The word embeddings as the output weights of the head that predicts masked tokens. */
export const DECODER = 'decoder';

export function isTable(weight: string): boolean {
  return weight === WORDS || weight === POSITIONS || weight === TYPES;
}
