/**
 * Indexes on OpenSearch and Elasticsearch, models on other machines, and queues for fleets of workers. They implement
 * the interfaces of the embedded parts (`Retriever`, `DocumentStore`, `Scorer`). The client of the queues is an optional peer.
 *
 * @module
 */
export {
  folderCollection,
  openCollection,
  type CollectionAddress,
  type SearchedCollection,
} from './searched-collection.js';
export { EngineConnection, type ConnectionOptions } from './search/connection.js';
export { usualSimilarities, type EngineStatistics, type NativeSimilarities } from './search/definition.js';
export { engineNames, type EngineName } from './search/dialect.js';
export { EngineIndex, type ForeignFields } from './search/engine-index.js';
export { EngineRetriever, type EngineRetrieverOptions } from './search/engine-retriever.js';
export { loadEngineIndex, type EngineLoadOptions, type EngineLoadReport } from './search/load.js';
export { isScorerAddress, openRemoteScorer } from './scorers/open.js';
export { openInferenceScorer, type OpenInferenceOptions } from './scorers/open-inference.js';
export { RemoteScorer, type RemoteScorerOptions } from './scorers/remote-scorer.js';
export { cohereScorer, teiScorer, type CohereOptions, type TeiOptions } from './scorers/rerank-apis.js';
export { distribute, type DistributeOptions, type FleetResult, type FleetTask } from './fleet/distribute.js';
export { workForFleet, type FleetWork, type FleetWorkerOptions } from './fleet/fleet-worker.js';
// These files name no type of the queues' optional package, so that a strict program needs none.
export { parseFleetAddress, type FleetAddress } from './fleet/address.js';
export { clearFleet, fleetStatus, retryFailed, type FleetStatus } from './fleet/status.js';
