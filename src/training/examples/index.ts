export {
  chunkExamples,
  collectFeedback,
  type Feedback,
  judgedDocuments,
  type PhaseOneDocument,
  type QueryFeedback,
} from './feedback.js';
export { type ExampleJournal, openExampleJournal } from './journal.js';
export {
  type BestPassage,
  collectQueryExamples,
  countQueries,
  type Example,
  judgedCandidates,
  type QueryExamples,
  requireBothKinds,
  sampleCandidates,
} from './query-examples.js';
