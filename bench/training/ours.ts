import type { Device } from '../../src/bert/index.js';
import { bertTensorShapes } from '../../src/bert/checkpoint/index.js';
import { openBertEngine } from '../../src/training/engine/bert-engine.js';
import { Random } from '../../src/training/random.js';
import { BATCH, configOf, randomBatch, type Size } from './setting.js';

// ours.ts SIZE LENGTH DROPOUT THREADS STEPS [TOKENS of a micro-batch] [DEVICE]: one line of JSON with milliseconds a step and peak memory.
const [size, length, dropout, threads, steps, tokens, device = 'cpu'] = process.argv.slice(2) as [
  Size,
  ...string[],
];
const config = configOf(size);
const rows = Math.min(BATCH, Math.max(1, Math.floor(Number(tokens) / Number(length))));
const shapes = bertTensorShapes(config);
const engine = await openBertEngine(
  {
    config,
    loss: 'pointwise',
    dropout: Number(dropout),
    seed: 1,
    device: device as Device,
    threads: Number(threads),
  },
  async (name) => {
    const random = new Random(name);
    const count = shapes.get(name)!.reduce((product, dim) => product * dim, 1);
    if (/LayerNorm.weight/.test(name)) return new Float32Array(count).fill(1);
    if (/bias/.test(name)) return new Float32Array(count);
    return Float32Array.from({ length: count }, () => (random.unit() - 0.5) * 0.07);
  },
);
const milliseconds: number[] = [];
const optimiser: number[] = [];
for (let step = 0; step < Number(steps) + 2; step++) {
  const batches = randomBatch(Number(length), rows, step);
  const started = performance.now();
  await engine.differentiate(batches, step);
  const middle = performance.now();
  await engine.apply(1e-5, step);
  const ended = performance.now();
  // The first two steps allocate.
  if (step >= 2) {
    milliseconds.push(ended - started);
    optimiser.push(ended - middle);
  }
}
await engine.release();
const median = (values: number[]): number => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
const memory = process.resourceUsage().maxRSS / 1024;
process.stdout.write(
  `${JSON.stringify({ milliseconds: median(milliseconds), optimiser: median(optimiser), memory, rows })}\n`,
);
