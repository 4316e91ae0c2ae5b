export {
  Birch,
  type BirchDocument,
  type BirchExplanation,
  type BirchLoadOptions,
  type BirchOptions,
  type BirchReranking,
  type BirchRerankOptions,
} from './birch.js';
export { birchScore } from './equation.js';
