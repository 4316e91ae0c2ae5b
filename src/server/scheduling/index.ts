export {
  Admission,
  overloaded,
  Refusal,
  type AdmissionLimits,
  type Arrival,
  type Claim,
  type Ticket,
} from './admission.js';
export type { Engine, LogitScorer } from './engine.js';
export { RequestScoring } from './request-scoring.js';
export { Scheduler, type RoundReport } from './scheduler.js';
export { Throughput } from './throughput.js';
export { estimateWork } from './work.js';
