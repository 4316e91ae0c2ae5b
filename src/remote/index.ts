/**
 * Indexes on OpenSearch and Elasticsearch, models on other machines, and queues for fleets of workers. They implement
 * the interfaces of the embedded parts (`Retriever`, `DocumentStore`, `Scorer`). Their clients are optional peers.
 *
 * @module
 */
export {
  folderCollection,
  openCollection,
  type CollectionAddress,
  type SearchedCollection,
} from './searched-collection.js';
export {
  EngineConnection,
  EngineIndex,
  engineNames,
  EngineRetriever,
  loadEngineIndex,
  usualSimilarities,
  type ConnectionOptions,
  type EngineLoadOptions,
  type EngineLoadReport,
  type EngineName,
  type EngineRetrieverOptions,
  type EngineStatistics,
  type ForeignFields,
  type NativeSimilarities,
} from './search/index.js';
export {
  cohereScorer,
  isScorerAddress,
  openInferenceScorer,
  openRemoteScorer,
  RemoteScorer,
  teiScorer,
  type CohereOptions,
  type OpenInferenceOptions,
  type RemoteScorerOptions,
  type TeiOptions,
} from './scorers/index.js';
export {
  clearFleet,
  distribute,
  fleetStatus,
  parseFleetAddress,
  retryFailed,
  workForFleet,
  type DistributeOptions,
  type FleetAddress,
  type FleetResult,
  type FleetStatus,
  type FleetTask,
  type FleetWork,
  type FleetWorkerOptions,
} from './fleet/index.js';
