import { failureError } from '../../common/errors.js';
import type { FeedbackSource, ForwardVector, TermFacts } from '../../retrieval/index.js';
import { anything, dictionary, list, number, object, optional, text } from './answer-shape.js';
import type { EngineCallOptions } from './connection.js';
import type { EngineStatistics } from './definition.js';
import type { EngineIndex } from './engine-index.js';

const documentVectors = object({
  docs: list(
    object({
      _id: text,
      found: anything,
      error: anything,
      term_vectors: optional(
        dictionary(object({ terms: optional(dictionary(object({ term_freq: number }))) })),
      ),
    }),
  ),
});

/** The term vectors and statistics of a few documents, as feedback models read them from an index. */
export class FeedbackView implements FeedbackSource {
  readonly lengths: number[] = [];
  readonly #vectors: ForwardVector[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #facts: TermFacts[] = [];

  private constructor(readonly statistics: EngineStatistics) {}

  /** Fetches documents; they are numbered from 0 in the order of the ids. */
  static async fetch(
    index: EngineIndex,
    ids: readonly string[],
    call: EngineCallOptions = {},
  ): Promise<FeedbackView> {
    const view = new FeedbackView(index.statistics);
    const path = `/${encodeURIComponent(index.name)}/_mtermvectors`;
    const without = { term_statistics: false, field_statistics: false, positions: false, offsets: false };
    const { docs } = await index.connection.call(
      { method: 'POST', path, body: { ids, parameters: { fields: [index.content], ...without } } },
      documentVectors,
      call,
      (answer) => {
        const away = answer.docs.find(({ error }) => error !== undefined);
        return away && `the terms of document "${away._id}" cannot be read`;
      },
    );
    const byId = new Map(docs.map((answer) => [answer._id, answer]));
    const names: string[] = [];
    for (const id of ids) {
      const answer = byId.get(id);
      if (!answer?.found) {
        throw failureError(`Document "${id}" went away while ${index.name} was searched.`);
      }
      view.#add(answer.term_vectors?.[index.content]?.terms ?? {}, names);
    }
    const counts = await index.terms.of(names, call);
    names.forEach((name, number) => view.#facts.push({ name, number, ...counts.get(name)! }));
    return view;
  }

  vector(document: number): ForwardVector {
    return this.#vectors[document];
  }

  term(name: string): { readonly number: number } | undefined {
    const number = this.#numbers.get(name);
    return number === undefined ? undefined : { number };
  }

  termFacts(number: number): TermFacts {
    return this.#facts[number];
  }

  #add(terms: Readonly<Record<string, { readonly term_freq: number }>>, names: string[]): void {
    const vector: ForwardVector = { terms: [], frequencies: [] };
    let length = 0;
    for (const [name, { term_freq: frequency }] of Object.entries(terms)) {
      let number = this.#numbers.get(name);
      if (number === undefined) {
        number = names.push(name) - 1;
        this.#numbers.set(name, number);
      }
      vector.terms.push(number);
      vector.frequencies.push(frequency);
      length += frequency;
    }
    this.#vectors.push(vector);
    this.lengths.push(length);
  }
}
