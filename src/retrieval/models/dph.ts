import { log2Table } from './logarithms.js';
import {
  onGrid,
  type BlockMaxima,
  type TermScorer,
  type TermStatistics,
  type WeightingModel,
} from './model.js';

/**
 * DPH, the parameter-free divergence-from-randomness model (REFERENCE §4): with f = tf/dl,
 *
 *   (1-f)²/(tf+1) · [ tf·log2( tf·avgdl/dl · N/F ) + ½·log2( 2π·tf·(1-f) ) ]
 *
 * for a query-term weight of 1. Logarithms of products are sums of tabulated ones. A document that consists of the
 * term alone would have f = 1 and the logarithm of zero; Terrier then takes f = .99999, and so do we.
 */
export function dphOf(
  { documents, averageLength }: { documents: number; averageLength: number },
  collectionFrequency: number,
): (frequency: number, length: number) => number {
  const rarity = Math.log2((averageLength * documents) / collectionFrequency);
  const halfLog2Pi2 = 0.5 * Math.log2(2 * Math.PI);
  const logs = log2Table(1 << 16);
  const limit = logs.length;
  return (tf, dl) => {
    const rest = dl > tf ? dl - tf : dl * ALMOST_NOTHING;
    const logTf = tf < limit ? logs[tf] : Math.log2(tf);
    const logDl = dl < limit ? logs[dl] : Math.log2(dl);
    const logRest = dl > tf && rest < limit ? logs[rest] : Math.log2(rest);
    const oneMinusF = rest / dl;
    const informative = tf * (logTf - logDl + rarity) + halfLog2Pi2 + 0.5 * (logTf + logRest - logDl);
    return ((oneMinusF * oneMinusF) / (tf + 1)) * informative;
  };
}

/** 1 - .99999. */
const ALMOST_NOTHING = 1e-5;

/** DPH, the parameter-free divergence-from-randomness model of Terrier: the first stage of the paper. */
export class Dph implements WeightingModel {
  readonly name = 'DPH';

  forTerm(statistics: TermStatistics, weight: number): TermScorer {
    return new DphTerm(statistics, weight);
  }
}

class DphTerm implements TermScorer {
  private readonly dph: (frequency: number, length: number) => number;

  constructor(
    { documents, tokens, collectionFrequency }: TermStatistics,
    private readonly weight: number,
  ) {
    this.dph = dphOf({ documents, averageLength: tokens / documents }, collectionFrequency);
  }

  score(frequency: number, length: number): number {
    return onGrid(this.weight * this.dph(frequency, length));
  }

  /** The block's largest value is stored, rounded up; the grid's rounding is monotone. */
  bound({ maxDph }: BlockMaxima): number {
    return onGrid(this.weight * maxDph);
  }
}
