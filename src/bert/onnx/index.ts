export {
  type Attributes,
  ElementType,
  type ElementTypeName,
  float,
  Graph,
  MICROSOFT,
  type Value,
} from './graph.js';
export { modelBytes, writeModel, writeSingleFileModel } from './write.js';
