import type { ModelConfig } from '../../src/bert/config.js';

/**
 * The floating-point operations of one sequence's score: all encoder layers but the last for every token, the last for
 * [CLS] alone (see firstTokenAttention), pooler and classifier. Only additions and multiplications of matrix products
 * count.
 */
export function usefulFlops(config: ModelConfig, length: number): number {
  const { layers, hidden, intermediate, heads, labels } = config;
  const layer = length * (8 * hidden ** 2 + 4 * hidden * intermediate) + 4 * length ** 2 * hidden;
  const last = 4 * heads * hidden * length + 8 * hidden ** 2 + 4 * hidden * intermediate;
  return (layers - 1) * layer + last + 2 * hidden ** 2 + 2 * hidden * labels;
}
