export { check, isJson, parseJson, readJson, readMessage } from './body.js';
export { EventStream } from './events.js';
export { isLocalHost, isLoopback } from './hosts.js';
export { ApiKeys } from './keys.js';
export { RequestLife, type LifeEnd, type Notes } from './life.js';
export { HttpProblem, problemBody, problemOf, type ProblemAnswer } from './problem.js';
export { fileUnder } from './static-files.js';
