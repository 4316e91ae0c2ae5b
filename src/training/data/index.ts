export { exampleData } from './example-data.js';
export { residualData, residualQueries } from './residual-data.js';
export { type Pairing, microBatches, type Sequence, sequencesOf } from './sequences.js';
export { BatchSampler, type ExampleCounts, type TrainingData } from './training-data.js';
