import { describe, expect, it } from 'vitest';
import { roundedWeights } from '../../../src/bert/compile/rounding.js';

const inputs = 48;
const outputs = 16;

/** Numbers between −½ and ½ that follow from a seed. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
}

/** Rows whose channels follow from a few common causes, and little else. */
function rowsOfCauses(next: () => number): number[][] {
  const mixture = Array.from({ length: inputs }, () => Array.from({ length: 8 }, next));
  return Array.from({ length: 500 }, () => {
    const causes = Array.from({ length: 8 }, next);
    return mixture.map(
      (shares) => 0.02 * next() + shares.reduce((sum, each, i) => sum + each * causes[i], 0),
    );
  });
}

function momentsOf(rows: readonly number[][]): Float64Array {
  const moments = new Float64Array(inputs * inputs);
  for (const row of rows)
    moments.forEach((_, i) => (moments[i] += row[Math.floor(i / inputs)] * row[i % inputs]));
  return moments;
}

describe('rounded weights', () => {
  const next = numbers(7);
  const rows = rowsOfCauses(next);
  const weights = Float32Array.from({ length: outputs * inputs }, next);
  const scales = new Float32Array(outputs).fill(0.5 / 15);
  const error = (values: Int8Array): number => {
    let sum = 0;
    for (const row of rows) {
      for (let output = 0; output < outputs; output++) {
        const at = output * inputs;
        sum += row.reduce((d, x, i) => d + x * (values[at + i] * scales[output] - weights[at + i]), 0) ** 2;
      }
    }
    return sum;
  };

  it('are the nearest numbers where nothing is known of the inputs', () => {
    const values = roundedWeights(weights, scales, undefined);
    values.forEach((value, i) => {
      expect(Math.abs(value - weights[i] / scales[Math.floor(i / inputs)])).toBeLessThanOrEqual(0.5001);
    });
  });

  it('make up for their errors where inputs go together', () => {
    const nearest = error(roundedWeights(weights, scales, undefined));
    expect(error(roundedWeights(weights, scales, momentsOf(rows)))).toBeLessThan(nearest / 3);
  });

  it('stay within a byte', () => {
    const values = roundedWeights(weights, new Float32Array(outputs).fill(1e-4), momentsOf(rows));
    expect(Math.max(...values.map(Math.abs))).toBe(127);
  });
});
