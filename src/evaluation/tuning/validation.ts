import type { Fold, Qrels, Ranking } from '../../collection/index.js';
import { BertQeError } from '../../common/errors.js';
import { evaluate, type Evaluation } from '../evaluate.js';
import type { Measure } from '../measures/measure.js';

/** Gives one query's ranking under some parameters; asked only for queries of the validation partition. */
export type QueryRanker = (query: string) => Ranking;

/**
 * The validation partition of one fold, and all that tuning ever sees. Judgements of other queries are left behind
 * in {@link Validation.of}, and rankings are asked for query by query: whoever tunes with this object has no way to
 * reach a test query.
 */
export class Validation {
  readonly #qrels: Qrels;

  private constructor(qrels: Qrels) {
    this.#qrels = qrels;
  }

  /** Of a fold, the judged validation queries; `label` names the fold in messages. */
  static of({ valid }: Pick<Fold, 'valid'>, qrels: Qrels, label = 'the fold'): Validation {
    const judged = new Map<string, ReadonlyMap<string, number>>();
    for (const query of valid) {
      const judgements = qrels.get(query);
      if (judgements) judged.set(query, judgements);
    }
    if (judged.size === 0) {
      throw new BertQeError(
        'input',
        `${label}: none of its ${valid.length} validation queries is judged, so nothing can be tuned on them; ` +
          'give folds and judgements of the same queries.',
      );
    }
    return new Validation(judged);
  }

  get queries(): readonly string[] {
    return [...this.#qrels.keys()];
  }

  /** What a ranker is worth here; a query that it has nothing for counts as zero. */
  evaluate(ranker: QueryRanker, measures: readonly (Measure | string)[]): Evaluation {
    const run = new Map(this.queries.map((query) => [query, ranker(query)]));
    return evaluate(run, this.#qrels, { measures, complete: true, label: 'a validation ranking' });
  }
}
