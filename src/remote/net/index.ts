export { exchange, parseAnswer, serverUrl, type HttpAnswer } from './exchange.js';
export { HttpService, statusOf, type ServiceOptions } from './http-service.js';
export { Limiter } from './limiter.js';
