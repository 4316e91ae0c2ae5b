export { asCardFailure, isOutOfMemory } from './failures.js';
export { chooseDevice, deviceStates, requireCuda } from './devices.js';
export { installCuda } from './install-cuda.js';
export {
  type Device,
  deviceNames,
  type SessionOptions,
  loadSession,
  sessionOptions,
  WIDEN_IN_RUNS,
} from './load-session.js';
export { type Machine, makeThreadNicer, multipliesBytes, thisMachine } from './machine.js';
export { NativeWorker, NO_ANSWER, serve, type WorkerService } from './native-worker.js';
export { workerUrl } from './thread.js';
