export { asCardFailure } from './cuda-failure.js';
export { chooseDevice, cudaState, deviceStates, requireCuda } from './devices.js';
export { installCuda } from './install-cuda.js';
export { type Device, deviceNames, type SessionOptions, loadSession, WIDEN_IN_RUNS } from './load-session.js';
export { type Machine, thisMachine } from './machine.js';
export { isOutOfMemory } from './out-of-memory.js';
export { NativeWorker, NO_ANSWER, serve, type WorkerService } from './native-worker.js';
export { makeThreadNicer } from './thread-priority.js';
export { workerUrl } from './worker-url.js';
