export { countRelevant, Topics, type Collection } from './collection.js';
export { describeVariants, Measurements, shownSettings } from './describe.js';
export { experimentFiles, listExperiments } from './experiments.js';
export { loadVariants, type LoadModelsOptions } from './load.js';
export { findVariant, type ServedVariant } from './served-variant.js';
