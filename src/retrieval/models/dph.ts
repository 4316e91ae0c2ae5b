import {
  onGrid,
  type BlockMaxima,
  type TermScorer,
  type TermStatistics,
  type WeightingModel,
} from './model.js';

/**
 * DPH, the parameter-free divergence-from-randomness model of Terrier. With f = tf/dl, a document's score is
 *
 *   (1-f)²/(tf+1) · [ tf·log2( tf·avgdl/dl · N/F ) + ½·log2( 2π·tf·(1-f) ) ]
 *
 * for a query-term weight of 1. Logarithms of products are sums of tabulated ones. For a document that consists of the
 * term alone, f = 1 would give the logarithm of zero; as in Terrier, f is then .99999.
 */
export function dphOf(
  { documents, tokens }: Pick<TermStatistics, 'documents' | 'tokens'>,
  collectionFrequency: number,
): (frequency: number, length: number) => number {
  const averageLength = tokens / documents;
  const rarity = Math.log2((averageLength * documents) / collectionFrequency);
  const halfLog2Pi2 = 0.5 * Math.log2(2 * Math.PI);
  const logs = log2Table();
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

let log2Values: Float64Array | undefined;

/** log2 of 0 to 2^16: DPH takes three logarithms per posting, of frequencies and lengths. */
function log2Table(): Float64Array {
  log2Values ??= Float64Array.from({ length: (1 << 16) + 1 }, (_, i) => Math.log2(i));
  return log2Values;
}

/** DPH, the parameter-free divergence-from-randomness model of Terrier, the first stage of the paper. */
export class Dph implements WeightingModel {
  readonly name = 'DPH';

  forTerm(statistics: TermStatistics, weight: number): TermScorer {
    return new DphTerm(statistics, weight);
  }
}

class DphTerm implements TermScorer {
  private readonly dph: (frequency: number, length: number) => number;

  constructor(
    statistics: TermStatistics,
    private readonly weight: number,
  ) {
    this.dph = dphOf(statistics, statistics.collectionFrequency);
  }

  score(frequency: number, length: number): number {
    return onGrid(this.weight * this.dph(frequency, length));
  }

  /** The stored maximum of the block is rounded up, and rounding to the grid is monotone. */
  bound({ maxDph }: BlockMaxima): number {
    return onGrid(this.weight * maxDph);
  }
}
