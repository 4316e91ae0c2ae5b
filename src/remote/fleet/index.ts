export { distribute, type DistributeOptions, type FleetResult } from './distribute.js';
export { workForFleet, type FleetWork, type FleetWorkerOptions } from './fleet-worker.js';
export { parseFleetAddress, type FleetAddress, type FleetTask } from './queue.js';
export { clearFleet, fleetStatus, retryFailed, type FleetStatus } from './status.js';
