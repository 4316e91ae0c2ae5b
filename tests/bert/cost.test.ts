import { describe, expect, test } from 'vitest';
import { encoderFlops, weightFlops } from '../../src/bert/cost.js';
import { encoderSizes } from '../../src/bert/sizes.js';

function product(rows: number, inner: number, columns: number): number {
  return 2 * rows * inner * columns;
}

/** Counts a·b·2 for every matrix product of a forward pass, as one would with a pencil. */
function byHand(layers: number, hidden: number, intermediate: number, n: number): number {
  let flops = 0;
  for (let layer = 0; layer < layers; layer++) {
    for (let i = 0; i < 4; i++) flops += product(n, hidden, hidden);
    flops += product(n, hidden, n) + product(n, n, hidden);
    flops += product(n, hidden, intermediate) + product(n, intermediate, hidden);
  }
  return flops + product(1, hidden, hidden) + product(1, hidden, 2);
}

describe('FLOPs as run', () => {
  test.each(Object.entries(encoderSizes))('of size %s are the products of a forward pass', (_, shape) => {
    for (const n of [1, 37, 384]) {
      const count = { sequences: 1, tokens: n, squaredTokens: n * n };
      expect(encoderFlops(shape, count)).toBe(byHand(shape.layers, shape.hidden, shape.intermediate, n));
    }
  });

  test('of several sequences are the sum of theirs', () => {
    const shape = { layers: 3, hidden: 32, intermediate: 100 };
    const lengths = [5, 17, 130];
    const count = {
      sequences: 3,
      tokens: 152,
      squaredTokens: lengths.reduce((sum, n) => sum + n * n, 0),
    };
    expect(encoderFlops(shape, count)).toBe(lengths.reduce((sum, n) => sum + byHand(3, 32, 100, n), 0));
  });

  test('take 24H² a token and layer for the weights', () => {
    expect(weightFlops(encoderSizes.L)).toBe(24 * 24 * 1024 ** 2);
  });
});
