export { showExplanation } from './explanation.js';
export { runRerank } from './run-rerank.js';
export { rerankTei, rerankV1, rerankV2 } from './wire-formats.js';
