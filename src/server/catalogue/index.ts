export { countRelevant, Topics, type Collection } from './collection.js';
export { describeVariants, Measurements, shownSettings } from './describe.js';
export { experimentFiles, listExperiments } from './experiments.js';
export { findVariant, loadVariants, type LoadedModels, type LoadModelsOptions } from './load.js';
export type { LoadedEngine, Variant } from './variant.js';
