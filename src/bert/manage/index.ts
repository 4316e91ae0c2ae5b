export { checkBareModel, completeModel, isBareModel, placesBeside, type BareModel } from './bare-model.js';
export { convertModel, writeConfig } from './convert.js';
export { describeModel, type ModelDescription } from './describe.js';
export { kendallTau } from './kendall.js';
export { copyTokenizer } from './new-folder.js';
export { quantizeModel } from './quantize.js';
