import { probabilities, type Tokenizer } from '../bert/index.js';
import type { Qrels, Ranking } from '../collection/index.js';
import { BertQeError } from '../common/errors.js';
import { evaluate } from '../evaluation/index.js';
import type { TrainingWorker } from './engine/index.js';
import { type Pairing, portions, type Sequence, sequencesOf } from './examples/index.js';
import type { TrainingSettings } from './settings.js';

/** The measure that decides which weights are the best. */
export const validationMeasure = 'nDCG@20';

/** Micro-batches sent to the worker at a time; between them a training can be stopped. */
const portionsAtATime = 8;

/** A validation query: the pairs that the model is asked, and what ranking its answers give. */
export interface ValidationQuery {
  readonly id: string;
  readonly pairings: readonly Pairing[];
  /** From the scores of all pairs, in their order. */
  readonly rank: (scores: Float32Array) => Ranking;
}

/** Ranks the validation queries' candidates with the weights as they are, and measures the result. */
export class ValidationSet {
  readonly #sequences: readonly Sequence[];
  readonly #qrels: Qrels;

  constructor(
    private readonly queries: readonly ValidationQuery[],
    qrels: Qrels,
    tokenizer: Tokenizer,
    private readonly settings: Pick<TrainingSettings, 'maxLength' | 'batchTokens'>,
  ) {
    this.#sequences = sequencesOf(
      queries.flatMap(({ pairings }) => pairings),
      tokenizer,
      settings.maxLength,
    );
    const ids = new Set(queries.map(({ id }) => id));
    this.#qrels = new Map([...qrels].filter(([query]) => ids.has(query)));
    if (this.#qrels.size === 0) {
      throw new BertQeError(
        'input',
        `None of the ${queries.length} validation queries is judged; give judgements of these queries, or no validation queries.`,
      );
    }
  }

  async evaluate(worker: TrainingWorker, labels: number): Promise<number> {
    const scores = await this.#scores(worker, labels);
    let next = 0;
    const run = new Map<string, Ranking>(
      this.queries.map(({ id, pairings, rank }) => {
        const pairs = pairings.reduce((sum, { passages }) => sum + passages.length, 0);
        return [id, rank(scores.subarray(next, (next += pairs)))];
      }),
    );
    const { summary } = evaluate(run, this.#qrels, {
      measures: [validationMeasure],
      complete: true,
      label: 'the validation ranking',
    });
    return summary.get(validationMeasure)!;
  }

  async #scores(worker: TrainingWorker, labels: number): Promise<Float32Array> {
    const scores = new Float32Array(this.#sequences.length);
    const cut = portions(this.#sequences, this.settings.batchTokens);
    for (let from = 0; from < cut.length; from += portionsAtATime) {
      const some = cut.slice(from, from + portionsAtATime);
      const values = await worker.score(some.map(({ batch }) => batch));
      const places = some.flatMap((portion) => portion.places);
      probabilities({ labels, values }).forEach((score, i) => (scores[places[i]] = score));
    }
    return scores;
  }
}
