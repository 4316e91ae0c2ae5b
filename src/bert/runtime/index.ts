export { createGuard, forgetGuard, type Guard, guarded } from './exit-guard.js';
export { type Device, loadSession } from './load-session.js';
export { workerUrl } from './worker-url.js';
