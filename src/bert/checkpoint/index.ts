export { bertTensorShapes, type Head } from './names.js';
export { type BertWeights, type BertWeightsOptions, bertWeights } from './weights.js';
