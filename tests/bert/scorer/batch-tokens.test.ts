import { describe, expect, it } from 'vitest';
import { batchTokensFor, messageTokensFor } from '../../../src/bert/scorer/batch-tokens.js';
import type { PreparedModel } from '../../../src/bert/scorer/model-source.js';
import { miniConfig } from './mini-model.js';

function model(hidden: number, heads: number, precision: 'fp32' | 'fp16'): PreparedModel {
  const encoder = { ...miniConfig, hidden, heads, intermediate: 4 * hidden };
  return { path: 'm.onnx', labels: 2, maxPositions: 512, precision, bytes: 1, encoder };
}

describe('tokens in a batch', () => {
  it('are few on a CPU', () => {
    expect(batchTokensFor('cpu', model(1024, 16, 'fp32'), 384)).toBe(1024);
  });

  it('keep a GPU’s largest buffer within 128 MiB, and are no more than it takes to keep it busy', () => {
    expect(batchTokensFor('webgpu', model(1024, 16, 'fp32'), 192)).toBe(8192);
    expect(batchTokensFor('webgpu', model(1024, 16, 'fp16'), 192)).toBe(16_384);
    // The scores of 16 heads for 384 tokens are wider than the feed-forward part.
    expect(batchTokensFor('webgpu', model(1024, 16, 'fp32'), 384)).toBe(5461);
    expect(batchTokensFor('webgpu', model(128, 2, 'fp32'), 384)).toBe(43_690);
    expect(batchTokensFor('webgpu', model(128, 2, 'fp16'), 192)).toBe(65_536);
  });

  it('are a cautious number for exports, whose inner sizes are unknown', () => {
    const { encoder: _, ...exported } = model(1024, 16, 'fp32');
    expect(batchTokensFor('webgpu', exported, 384)).toBe(8192);
  });
});

describe('tokens in a message', () => {
  it('are two batches where a CPU runs a light model, else one', () => {
    expect(messageTokensFor('cpu', model(128, 2, 'fp32'), 1024)).toBe(2048);
    expect(messageTokensFor('cpu', model(1024, 16, 'fp32'), 1024)).toBe(1024);
    expect(messageTokensFor('webgpu', model(128, 2, 'fp32'), 43_690)).toBe(43_690);
    const { encoder: _, ...exported } = model(128, 2, 'fp32');
    expect(messageTokensFor('cpu', exported, 1024)).toBe(1024);
  });
});
