export {
  Birch,
  type BirchDocument,
  type BirchExplanation,
  type BirchLoadOptions,
  type BirchOptions,
  type BirchReranking,
  type BirchRerankOptions,
  type BirchSettings,
  type ScoredSentence,
  type SentenceEvidence,
} from './birch.js';
export { birchScore, type BirchWeights } from './equation.js';
