import { compareUtf8 } from '../../../src/common/order.js';
import { combine, expansionScore, interpolate, type Combination } from '../../../src/expansion/equations.js';
import type { ExplainedDocument, Explanation } from './answer.js';

/** A document at the place that some α and β give it. */
export interface Place {
  readonly id: string;
  /** From 1. */
  readonly rank: number;
  /** Eq. 4: rel(C,d); null without chunks. */
  readonly expansion: number | null;
  /** Eq. 5: M(q,d); null where the models did not see all of the document. */
  readonly combined: number | null;
  /** β·ln M + (1-β)·I. */
  readonly final: number;
}

/**
 * The ranking with other α and β, made of what the models already said: the server's own functions, over the numbers
 * of its explanation. Documents whose scores are not all known follow in the server's order.
 */
export function recombine({ chunks, documents }: Explanation, { alpha, beta }: Combination): Place[] {
  const weights = chunks.map(({ weight }) => weight);
  const known: Omit<Place, 'rank'>[] = [];
  const unknown: Omit<Place, 'rank'>[] = [];
  for (const document of documents) {
    const { id, queryScore, initial } = document;
    const chunkScores = knownScores(document);
    if (queryScore === null || !chunkScores) {
      unknown.push({ id, expansion: null, combined: null, final: document.final });
      continue;
    }
    const expansion = chunks.length === 0 ? null : expansionScore(weights, chunkScores);
    const combined = combine(queryScore, expansion, alpha);
    known.push({ id, expansion, combined, final: interpolate(combined, initial ?? undefined, beta) });
  }
  known.sort((a, b) => b.final - a.final || compareUtf8(a.id, b.id));
  return [...known, ...unknown].map((place, i) => ({ ...place, rank: i + 1 }));
}

function knownScores({ chunkScores }: ExplainedDocument): number[] | undefined {
  const known = chunkScores.filter((score) => score !== null);
  return known.length === chunkScores.length ? known : undefined;
}
