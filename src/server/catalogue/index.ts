export { Topics, type Collection } from './collection.js';
export { describeVariants, Measurements, modelEntry, modelList } from './describe.js';
export { experimentFiles, listExperiments } from './experiments.js';
export { namedVariant } from './names.js';
export { loadVariants, type LoadModelsOptions } from './load.js';
export { VariantNames, type ServedVariant } from './variants.js';
