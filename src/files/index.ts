export { writeFileAtomic } from './atomic.js';
export type { FileData } from './atomic.js';
export { standardStream, writeOutput } from './output.js';
export { readFailure, systemCode, writeFailure } from './io-errors.js';
