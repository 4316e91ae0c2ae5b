export * from './catalogue.js';
export { explanation } from './explanation.js';
export { problem, problemStatus, type Problem, type ProblemType } from './problem.js';
export * from './rerank.js';
export * from './search.js';
