export { countRelevant, Topics, type Collection } from './collection.js';
export { describeVariants, Measurements, shownSettings } from './describe.js';
export { experimentFiles, listExperiments } from './experiments.js';
export { modelList, modelEntry } from './model-list.js';
export { loadVariants, type LoadModelsOptions } from './load.js';
export { VariantNames } from './variant-names.js';
export { type ServedVariant } from './served-variant.js';
