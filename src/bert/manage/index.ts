export { convertModel, type ConvertOptions, writeConfig } from './convert.js';
export { describeModel, type ModelDescription, type ModelFile } from './describe.js';
export { kendallTau } from './kendall.js';
export { copyTokenizer } from './new-folder.js';
export { type Agreement, quantizeModel, type QuantizeOptions } from './quantize.js';
