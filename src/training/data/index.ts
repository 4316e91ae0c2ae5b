export { distilledData, distilledValidation, type GroupCounts } from './distilled-data.js';
export { exampleData } from './example-data.js';
export { residualData, residualQueries } from './residual-data.js';
export { type Pairing, microBatches, scoreInto, sequencesOf } from './sequences.js';
export { type TextCounts, textData, textValidation } from './text-data.js';
export {
  BatchSampler,
  type ExampleCounts,
  type TrainingData,
  type ValidationBatches,
} from './training-data.js';
