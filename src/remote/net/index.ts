export { Limiter } from './limiter.js';
export { HttpService, statusOf, type ServiceOptions } from './http-service.js';
