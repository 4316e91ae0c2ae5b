export { createGuard, forgetGuard, type Guard, guarded } from './exit-guard.js';
export { type Device, loadSession } from './load-session.js';
export { makeThreadNicer } from './thread-priority.js';
export { inTurn, type Turn, turnFor } from './webgpu-turn.js';
export { workerUrl } from './worker-url.js';
