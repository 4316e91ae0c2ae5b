export { Admission, overloaded, Reservation, type Arrival } from './admission.js';
export { charactersPerToken } from './forecast.js';
export { RequestScoring } from './request-scoring.js';
export { Scheduler, type RoundReport } from './scheduler.js';
export type { ServedModel, SharedScorer } from './served-model.js';
export { Throughput } from './throughput.js';
