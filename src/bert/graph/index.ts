export type { AttentionStyle } from './context.js';
export { type Arithmetic, bertGraph } from './bert-graph.js';
export { byteWeightProducts } from './byte-weight-products.js';
export { EXPORT_NAMES, exportGraph, type ExportNames } from './export-graph.js';
export { paddingSlot } from './embeddings.js';
export { type ChannelRange, int8Products, type Ranges } from './int8-products.js';
export { type BatchForm, GRAPH_IDS, GRAPH_LOGITS, GRAPH_PLACES, GRAPH_SLOTS, GRAPH_STARTS } from './names.js';
export { GREATEST, LEAST, observedProducts } from './observed-products.js';
export { packedGraph } from './packed-graph.js';
