export { Bo1, DivergenceFeedback, KL } from './divergence.js';
export { type FeedbackModel, type FeedbackSource } from './feedback.js';
export { Rm3 } from './rm3.js';
