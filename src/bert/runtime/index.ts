export { chooseDevice, cudaState, deviceStates, type DeviceState } from './devices.js';
export { installCuda, type InstalledLibrary, type InstallOptions } from './install-cuda.js';
export { type Device, type SessionOptions, loadSession, WIDEN_IN_RUNS } from './load-session.js';
export { type Machine, thisMachine } from './machine.js';
export { NativeWorker, NO_ANSWER, serve, type WorkerService } from './native-worker.js';
export { makeThreadNicer } from './thread-priority.js';
export { workerUrl } from './worker-url.js';
