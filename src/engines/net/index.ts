export { Limiter } from './limiter.js';
export { optionalPackage } from './optional.js';
export { defaultPatience, persist, retryAfterMs, Transient, type Patience } from './patience.js';
