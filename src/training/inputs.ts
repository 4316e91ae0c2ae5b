import type { DocumentStore, Qrels, Query, Run } from '../collection/index.js';
import { inputError, usageError } from '../common/errors.js';
import type { Combination } from '../expansion/index.js';
import type { TrainingSettings } from './settings.js';

/** The queries of a training with their judged candidates. */
export interface JudgedInputs {
  readonly queries: readonly Query[];
  /** Validation queries; none of them may be a training query. */
  readonly validationQueries?: readonly Query[] | undefined;
  readonly qrels: Qrels;
  readonly run: Run;
  readonly documents: DocumentStore;
  /** A key that identifies the documents, such as a hash. */
  readonly documentsKey: string;
  /** The name of the training in messages ("The training"). */
  readonly label?: string | undefined;
}

/** The inputs of a training. */
export interface TrainingInputs extends JudgedInputs {
  /** The model to start from, by letter, name or path. */
  readonly model: string;
  /** The model that chooses best passages (the model itself; for phase three, the model of phase one). */
  readonly passageModel?: string | undefined;
  /** A model whose scores are mixed into the targets. */
  readonly teacher?: string | undefined;
  /** Trains phase three, where chunks take the place of queries. */
  readonly phaseThree?: PhaseThreeInputs | undefined;
}

/**
 * Phases one and two, which choose the chunks that phase three is trained on. A pair of a chunk and a candidate's best
 * passage is relevant where the document is relevant to the chunk's query.
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
  /** Re-ranked documents per query; training uses none below them. */
  readonly depth: number;
  /** α and β of the final score that ranks validation queries; without them, rel(C,d) ranks. */
  readonly combination?: Combination | undefined;
}

/** Throws where a query is to be trained on and validated with. */
export function checkQueries({ queries, validationQueries }: JudgedInputs): void {
  const training = new Set(queries.map(({ id }) => id));
  const both = validationQueries?.find(({ id }) => training.has(id));
  if (both) {
    throw inputError(
      `Query "${both.id}" is to be trained on and validated with; use other queries for validation.`,
    );
  }
}

/** Throws where inputs and settings do not fit together. */
export function checkInputs(inputs: TrainingInputs, { loss }: TrainingSettings): void {
  checkQueries(inputs);
  if (loss !== 'residual' || (inputs.phaseThree && inputs.teacher === undefined)) return;
  throw usageError(
    inputs.phaseThree
      ? 'The residual loss knows no teacher; leave it out, or use another loss.'
      : 'The residual loss is that of phase three on chunks, by the final score; train on chunks, or use another loss.',
  );
}
