export { Counter, exposition, Histogram } from './registry.js';
export { ServerMetrics } from './server-metrics.js';
