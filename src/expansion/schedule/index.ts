export { Deadline } from './deadline.js';
export { exactTopK } from './exact-top-k.js';
export {
  everything,
  expectedCell,
  tolerance,
  type Cells,
  type Schedule,
  type ScoreTable,
} from './schedule.js';
