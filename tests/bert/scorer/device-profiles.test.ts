import { describe, expect, it } from 'vitest';
import { DEVICE_PROFILES, pulledTokens } from '../../../src/bert/scorer/device-profiles.js';
import type { PreparedModel } from '../../../src/bert/scorer/model-source.js';
import { miniConfig } from './mini-model.js';

function model(hidden: number, heads: number, precision: 'fp32' | 'fp16'): PreparedModel {
  const encoder = { ...miniConfig, hidden, heads, intermediate: 4 * hidden };
  return { path: 'm.onnx', labels: 2, maxPositions: 512, precision, batches: 'equal', bytes: 1, encoder };
}

describe('tokens in a batch', () => {
  it('are few on a CPU, and fewer where each takes long', () => {
    const base = model(768, 12, 'fp32');
    expect(DEVICE_PROFILES.cpu.batchTokens({ ...base, encoder: { ...base.encoder!, layers: 12 } })).toBe(
      1024,
    );
    const large = model(1024, 16, 'fp32');
    expect(DEVICE_PROFILES.cpu.batchTokens({ ...large, encoder: { ...large.encoder!, layers: 24 } })).toBe(
      512,
    );
    const { encoder: _, ...exported } = large;
    expect(DEVICE_PROFILES.cpu.batchTokens(exported)).toBe(1024);
  });

  it.each([
    // The sizes T, S, M, B and L.
    [128, 2, 65_536],
    [256, 4, 32_768],
    [512, 8, 16_384],
    [768, 12, 10_922],
    [1024, 16, 8192],
  ])(
    'keep a GPU’s rows of width %i within 128 MiB, and are no more than it takes to keep it busy',
    (hidden, heads, tokens) => {
      expect(DEVICE_PROFILES.webgpu.batchTokens(model(hidden, heads, 'fp32'))).toBe(tokens);
      expect(DEVICE_PROFILES.webgpu.batchTokens(model(hidden, heads, 'fp16'))).toBe(tokens);
    },
  );

  it('count the stream between layers where it is wider than the feed-forward part', () => {
    const narrow = model(1024, 16, 'fp16');
    const encoder = { ...narrow.encoder!, intermediate: 1024 };
    expect(DEVICE_PROFILES.webgpu.batchTokens({ ...narrow, encoder })).toBe(32_768);
  });

  it.each([
    [128, 2, 524_288],
    [256, 4, 262_144],
    [1024, 16, 65_536],
  ])('keep packed rows of width %i within 512 MiB on CUDA', (hidden, heads, tokens) => {
    expect(DEVICE_PROFILES.cuda.batchTokens(model(hidden, heads, 'fp16'))).toBe(tokens);
    expect(DEVICE_PROFILES.cuda.batchTokens(model(hidden, heads, 'fp32'))).toBe(tokens / 2);
  });

  it('are a cautious number for exports, whose inner sizes are unknown', () => {
    const { encoder: _, ...exported } = model(1024, 16, 'fp32');
    expect(DEVICE_PROFILES.webgpu.batchTokens(exported)).toBe(8192);
  });
});

describe('attention scores in a batch', () => {
  it('keep all heads’ within 128 MiB on a GPU, in fp32 in every precision', () => {
    // 64 sequences of 512 tokens for two heads, 8 for sixteen.
    for (const precision of ['fp32', 'fp16'] as const) {
      expect(DEVICE_PROFILES.webgpu.attentionLimit(model(128, 2, precision))).toBe(64 * 512 ** 2);
      expect(DEVICE_PROFILES.webgpu.attentionLimit(model(1024, 16, precision))).toBe(8 * 512 ** 2);
    }
  });

  it('are not limited on a CPU, nor where heads are unknown', () => {
    expect(DEVICE_PROFILES.cpu.attentionLimit(model(128, 2, 'fp32'))).toBe(Infinity);
    const { encoder: _, ...exported } = model(128, 2, 'fp32');
    expect(DEVICE_PROFILES.webgpu.attentionLimit(exported)).toBe(Infinity);
  });
});

describe('tokens in a message', () => {
  it('are two batches where a CPU runs a light model, else one', () => {
    expect(DEVICE_PROFILES.cpu.messageTokens(model(128, 2, 'fp32'), 1024)).toBe(2048);
    expect(DEVICE_PROFILES.cpu.messageTokens(model(1024, 16, 'fp32'), 1024)).toBe(1024);
    expect(DEVICE_PROFILES.webgpu.messageTokens(model(128, 2, 'fp32'), 65_536)).toBe(65_536);
    const { encoder: _, ...exported } = model(128, 2, 'fp32');
    expect(DEVICE_PROFILES.cpu.messageTokens(exported, 1024)).toBe(1024);
  });
});

describe('tokens in a call whose batches workers pull', () => {
  it('are four messages for each worker', () => {
    expect(pulledTokens(2, 2048)).toBe(16_384);
    expect(pulledTokens(16, 1024)).toBe(65_536);
  });
});
