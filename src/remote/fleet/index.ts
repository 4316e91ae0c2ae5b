export { parseFleetAddress, type FleetAddress } from './address.js';
export { distribute, type DistributeOptions, type FleetResult, type FleetTask } from './distribute.js';
export { workForFleet, type FleetWork, type FleetWorkerOptions } from './fleet-worker.js';
export { clearFleet, fleetStatus, retryFailed, type FleetStatus } from './status.js';
