export { Bo1, DivergenceFeedback, KL, type DivergenceModel, type DivergenceOptions } from './divergence.js';
export { type FeedbackDocument, type FeedbackModel, type FeedbackSource } from './feedback.js';
export { Rm3, type Rm3Options } from './rm3.js';
