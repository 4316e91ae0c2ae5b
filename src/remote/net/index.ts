export { Limiter, type CircuitOptions } from './limiter.js';
export { HttpService, statusOf, type ServiceOptions } from './http-service.js';
