export { type Attributes, ElementType, float, Graph, MICROSOFT, type Value } from './graph.js';
export { modelBytes } from './model-bytes.js';
export { writeModel, writeSingleFileModel } from './write.js';
