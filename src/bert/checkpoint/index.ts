export type { CheckpointFile } from './checkpoint-file.js';
export { narrowToHalf, roundFraction } from './dtype.js';
export { bertTensorShapes, type Head, parameterCount, storedName } from './names.js';
export { isCheckpoint, openCheckpoint } from './open.js';
export { RandomAccessFile } from './random-access-file.js';
export { type TensorToWrite, writeSafetensors } from './safetensors-writer.js';
export { type BertWeights, bertWeights } from './weights.js';
export { readZip, zipContent, type ZipEntry } from './zip.js';
