/** What the graphs of training call their inputs and outputs; weights are inputs under their own names. */
export const IDS = 'ids';
export const SEGMENTS = 'segments';
/** What is added to attention scores: 0, and for padding a number that no score outweighs. */
export const PADDING = 'padding';
/** See loss.ts. */
export const TARGETS = 'targets';
export const LOGITS = 'logits';
export const LOSS = 'loss';
/** The gradient of the summed embeddings, a row per token: what each token's rows of the tables get. */
export const TOKEN_GRADIENTS = 'gradient of tokens';

export function gradientOf(weight: string): string {
  return `gradient of ${weight}`;
}

/** The three tables that tokens are looked up in; their gradients are rows, added up outside of the graph. */
export const WORDS = 'embeddings.word_embeddings.weight';
export const POSITIONS = 'embeddings.position_embeddings.weight';
export const TYPES = 'embeddings.token_type_embeddings.weight';

export function isTable(weight: string): boolean {
  return weight === WORDS || weight === POSITIONS || weight === TYPES;
}
