export { EngineConnection, type ConnectionOptions } from './connection.js';
export { usualSimilarities, type EngineStatistics, type NativeSimilarities } from './definition.js';
export { engineNames, type EngineName } from './dialect.js';
export { EngineIndex, type ForeignFields } from './engine-index.js';
export { EngineRetriever, type EngineRetrieverOptions } from './engine-retriever.js';
export { loadEngineIndex, type EngineLoadOptions, type EngineLoadReport } from './load.js';
