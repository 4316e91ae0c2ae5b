import { noise } from '../bert/graph/seeded-model.js';

/** The norm of a tensor, then its projections onto random directions; see scripts/fixtures/seeded.py. */
export type Summary = readonly number[];

/** Elements of a direction are uniform in [-.5, .5). */
const variance = 1 / 12;

/**
 * The norm of the difference between a whole tensor and PyTorch's, from projections of both: over random directions,
 * the squared projection of a difference is its squared norm times the directions' variance. With eight of them, a
 * difference of three times the tolerance has one chance in a thousand to pass; every element counts.
 */
export function distance(name: string, values: Float32Array, [, ...projections]: Summary): number {
  const squares = projections.map((expected, k) => {
    const direction = noise(`projection ${k} of ${name}`, values.length, (u) => u);
    const found = values.reduce((sum, value, i) => sum + value * direction[i], 0);
    return (found - expected) ** 2;
  });
  return Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / squares.length / variance);
}

export function normOf(values: Float32Array): number {
  return Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));
}
