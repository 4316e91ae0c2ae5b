import type { DocumentStore, Qrels, Query, Run } from '../collection/index.js';
import type { Combination } from '../expansion/index.js';

/** What a model is trained on. */
export interface TrainingInputs {
  /** The model to start from, by letter, name or path. */
  readonly model: string;
  /** Chooses the best passages (the model itself; for phase three, phase one's). */
  readonly general?: string | undefined;
  /** A model whose scores are imitated. */
  readonly teacher?: string | undefined;
  /** Trains phase three: chunks stand where the queries stand. */
  readonly phaseThree?: PhaseThreeInputs | undefined;
  readonly queries: readonly Query[];
  /** None of these may be among the training queries. */
  readonly validationQueries?: readonly Query[] | undefined;
  readonly qrels: Qrels;
  readonly run: Run;
  readonly documents: DocumentStore;
  /** Tells these documents from others. */
  readonly documentsKey: string;
  /** How messages call the training ("the training"). */
  readonly label?: string;
}

/**
 * Phases one and two, which choose the chunks that phase three is trained on. A pair is a chunk and a candidate's best
 * passage; relevant it is where the document is relevant to the chunk's query.
 */
export interface PhaseThreeInputs {
  /** The model of phase one, by letter, name or path. */
  readonly phaseOne: string;
  /** The model of phase two. */
  readonly phaseTwo: string;
  /** Feedback documents. */
  readonly kd: number;
  /** Chunks of a query. */
  readonly kc: number;
  /** m, the words of a chunk. */
  readonly chunkWords: number;
  /** Documents that are re-ranked; none below them is learned from. */
  readonly depth: number;
  /** The α and β of the final score by which validation queries are ranked; without them, by rel(C,d) alone. */
  readonly combination?: Combination | undefined;
}
