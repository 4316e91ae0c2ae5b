import type { Combination } from '../../../src/expansion/equations.js';
import type { ExplainedDocument, Explanation } from '../model/answer.js';
import { contributionsOf } from '../model/contributions.js';
import { formatProbability } from '../model/format.js';

interface Props {
  readonly document: ExplainedDocument;
  readonly chunks: Explanation['chunks'];
  readonly combination: Combination;
  /** M(q,d). */
  readonly total: number | null;
  readonly selected: number | undefined;
  readonly onSelect: (chunk: number | undefined) => void;
}

/** The parts of M(q,d) that come from the query and from each chunk: a bar inside the largest possible one. */
export function Contributions({ document, chunks, combination, total, selected, onSelect }: Props) {
  const parts = contributionsOf(document, chunks, combination);
  // Chunks are drawn to a scale of their own: beside the query's share theirs would be slivers.
  const most = Math.max(...parts.filter(({ chunk }) => chunk !== null).map((part) => part.most), 1e-9);
  return (
    <section class="contributions" aria-labelledby="contributions-title">
      <h3 id="contributions-title">
        What adds up to M = {total === null ? '?' : formatProbability(total)}
        <small>
          <span>rel</span> <span>adds</span>
        </small>
      </h3>
      <ul>
        {parts.map(({ chunk, score, most: own, value }) => {
          const scale = chunk === null ? own || 1 : most;
          const figures = (
            <>
              <span class="bar" aria-hidden="true">
                <i class="most" style={{ width: `${(100 * own) / scale}%` }} />
                <i class="value" style={{ width: `${(100 * value) / scale}%` }} />
              </span>
              <span class="score">
                <span class="visually-hidden">rel </span>
                {formatProbability(score)}
              </span>
              <span class="visually-hidden"> times {own.toFixed(3)}</span>
              <span class="value">
                <span class="visually-hidden"> is </span>
                {formatProbability(value)}
              </span>
            </>
          );
          return (
            <li key={chunk} class={chunk === null ? 'query' : 'chunk'}>
              {chunk === null ? (
                <div class="row">
                  <span class="name">The query</span>
                  {figures}
                </div>
              ) : (
                <button
                  type="button"
                  class="row"
                  aria-pressed={chunk === selected}
                  onClick={() => onSelect(chunk === selected ? undefined : chunk)}
                >
                  <span class="name" title={chunks[chunk].text}>
                    <b>{chunk + 1}</b> {chunks[chunk].text}
                  </span>
                  {figures}
                </button>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
