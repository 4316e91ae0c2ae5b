export { Counter, exposition, Gauge, Histogram } from './registry.js';
export { ServerMetrics } from './server-metrics.js';
