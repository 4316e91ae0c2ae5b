import { describe, expect, it } from 'vitest';
import { probabilities } from '../../../src/bert/scorer/probabilities.js';

describe('probabilities', () => {
  it('are the sigmoid of one label', () => {
    const values = Float32Array.of(0, Math.log(3), -200, 200);
    expect([...probabilities({ labels: 1, values })]).toEqual([0.5, 0.75, 0, 1]);
  });

  it('are the second of the softmax of two labels, however large', () => {
    const values = Float32Array.of(1, 1, 0, Math.log(3), 900, -900, 1e4, 1e4);
    expect([...probabilities({ labels: 2, values })]).toEqual([0.5, 0.75, 0, 0.5]);
  });
});
