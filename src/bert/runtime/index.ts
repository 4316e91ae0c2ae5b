export { type Device, type LoadOptions, loadSession, WIDEN_IN_RUNS } from './load-session.js';
export { NativeWorker, NO_ANSWER, serve, type Service } from './native-worker.js';
export { makeThreadNicer } from './thread-priority.js';
export { workerUrl } from './worker-url.js';
