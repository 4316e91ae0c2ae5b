export { Limiter } from './limiter.js';
export { optionalPackage } from './optional.js';
export { defaultPatience, persist, retryAfterMs, Transient, type Patience } from './patience.js';
export { CircuitBreaker } from './circuit-breaker.js';
export { HttpService, statusOf, type ServiceOptions } from './http-service.js';
