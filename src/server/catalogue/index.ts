export { countRelevant, Topics, type Collection } from './collection.js';
export { describeVariants, Measurements } from './describe.js';
export { experimentFiles, listExperiments } from './experiments.js';
export { modelList, modelEntry } from './model-list.js';
export { namedVariant } from './names.js';
export { loadVariants, type LoadModelsOptions } from './load.js';
export { VariantNames, type ServedVariant } from './variants.js';
