import { probabilities, type Tokenizer } from '../bert/index.js';
import type { Qrels, Ranking } from '../collection/index.js';
import { BertQeError } from '../errors.js';
import { evaluate } from '../evaluation/index.js';
import type { TrainingWorker } from './engine/index.js';
import { type QueryExamples, portions, type Sequence, sequencesOf } from './examples/index.js';
import type { TrainingSettings } from './settings.js';

/** The measure that decides which weights are the best. */
export const validationMeasure = 'nDCG@20';

/** Micro-batches sent to the worker at a time; between them a training can be stopped. */
const portionsAtATime = 8;

/** Ranks the validation queries' candidates by rel(q,d), Eq. 2, with the weights as they are, and measures the result. */
export class ValidationSet {
  readonly #sequences: readonly Sequence[];
  readonly #qrels: Qrels;

  constructor(
    private readonly gathered: readonly QueryExamples[],
    qrels: Qrels,
    tokenizer: Tokenizer,
    private readonly settings: Pick<TrainingSettings, 'maxLength' | 'batchTokens'>,
  ) {
    this.#sequences = sequencesOf(gathered, tokenizer, settings.maxLength);
    const queries = new Set(gathered.map(({ query }) => query.id));
    this.#qrels = new Map([...qrels].filter(([query]) => queries.has(query)));
    if (this.#qrels.size === 0) {
      throw new BertQeError(
        'input',
        `None of the ${gathered.length} validation queries is judged; give judgements of these queries, or no validation queries.`,
      );
    }
  }

  async evaluate(worker: TrainingWorker, labels: number): Promise<number> {
    const scores = await this.#scores(worker, labels);
    let next = 0;
    const run = new Map<string, Ranking>(
      this.gathered.map(({ query, examples }) => [
        query.id,
        examples.map(({ document }) => ({ id: document, score: scores[next++] })),
      ]),
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
