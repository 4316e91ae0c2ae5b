export type { CheckpointFile, CheckpointFormat } from './checkpoint-file.js';
export { narrowToHalf } from './dtype.js';
export { bertTensorShapes, type Head, storedName } from './names.js';
export { openCheckpoint } from './open.js';
export { type TensorToWrite, writeSafetensors, type WriteSafetensorsOptions } from './safetensors-writer.js';
export { type BertWeights, type BertWeightsOptions, bertWeights } from './weights.js';
