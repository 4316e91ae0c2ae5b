export type { AttentionStyle } from './context.js';
export { bertGraph, type GraphOptions, unitsAtOnce, WHOLE } from './bert-graph.js';
export { byteWeightProducts } from './byte-weight-products.js';
export { exportGraph } from './export-graph.js';
export { paddingSlot } from './embeddings.js';
export {
  hiddenName,
  type Int8Form,
  type Int8Matrix,
  type Int8Operand,
  int8UnitParts,
  reorderedUnits,
  REST_STEPS,
} from './int8-form.js';
export { int8Products } from './int8-products.js';
export { type BatchForm, GRAPH_IDS, GRAPH_LOGITS, GRAPH_PLACES, GRAPH_SLOTS, GRAPH_STARTS } from './names.js';
export { GREATEST, LEAST, MOMENTS, observedProducts } from './observed-products.js';
export { packedGraph, type PackedPrecision } from './packed-graph.js';
export { nameOf } from './store.js';
export { WeightReader } from './weight-reader.js';
