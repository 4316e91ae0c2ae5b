export { createGuard, forgetGuard, type Guard, guarded } from './exit-guard.js';
export { type Device, type LoadOptions, loadSession, WIDEN_IN_RUNS } from './load-session.js';
export { makeThreadNicer } from './thread-priority.js';
export { inTurn, type Turn, turnFor } from './webgpu-turn.js';
export { workerUrl } from './worker-url.js';
