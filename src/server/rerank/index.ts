export { showExplanation } from './explanation.js';
export { costOf, perform, type PerformedRerank } from './perform.js';
export { rerankTei, rerankV1, rerankV2 } from './shapes.js';
