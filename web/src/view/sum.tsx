import type { Combination } from '../../../src/expansion/equations.js';
import type { ExplainedDocument } from '../model/answer.js';
import { formatProbability } from '../model/format.js';
import type { Place } from '../model/recombine.js';

interface Props {
  readonly document: ExplainedDocument;
  readonly place: Place;
  readonly combination: Combination;
}

/** The two equations with the numbers of this document in them. */
export function Sum({ document: { queryScore, initial }, place, combination: { alpha, beta } }: Props) {
  if (place.combined === null || queryScore === null) return null;
  const { expansion, combined, final } = place;
  return (
    <dl class="sum">
      {expansion !== null && (
        <div>
          <dt>
            M <small>(1−α)·rel(q,d) + α·rel(C,d)</small>
          </dt>
          <dd>
            {(1 - alpha).toFixed(2)}·{formatProbability(queryScore)} + {alpha.toFixed(2)}·
            {formatProbability(expansion)} = <b>{formatProbability(combined)}</b>
          </dd>
        </div>
      )}
      <div>
        <dt>
          Final <small>{initial === null ? 'ln M' : 'β·ln M + (1−β)·I'}</small>
        </dt>
        <dd>
          {initial === null
            ? `ln ${formatProbability(combined)}`
            : `${beta.toFixed(2)}·ln ${formatProbability(combined)} + ${(1 - beta).toFixed(2)}·${initial.toFixed(2)}`}{' '}
          = <b>{final.toFixed(3)}</b>
        </dd>
      </div>
    </dl>
  );
}
