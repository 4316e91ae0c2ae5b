export type { CheckpointFile, CheckpointFormat } from './checkpoint-file.js';
export { narrowToHalf } from './dtype.js';
export { bertTensorShapes, type Head, storedName } from './names.js';
export { openCheckpoint } from './open.js';
export { RandomAccessFile } from './random-access-file.js';
export { type TensorToWrite, writeSafetensors, type WriteSafetensorsOptions } from './safetensors-writer.js';
export { type BertWeights, type BertWeightsOptions, bertWeights } from './weights.js';
export { readZip, type ZipEntry } from './zip.js';
