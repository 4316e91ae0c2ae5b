export { cohereScorer, type CohereOptions } from './cohere.js';
export { isScorerAddress, openRemoteScorer } from './open.js';
export { openInferenceScorer, type OpenInferenceOptions } from './open-inference.js';
export { RemoteScorer, type RemoteScorerOptions } from './remote-scorer.js';
export { teiScorer, type TeiOptions } from './tei.js';
