// node cuda.js CASE JSON…: examples per second of training on CUDA. A case has size, length ("384" or "80–384"), dropout,
// precision, tokens (of a micro-batch) and layers (all). Runs of two lengths tell a step from what a run costs besides.
import { DeviceEngine } from '../../src/training/engine/device-engine.js';
import { Random } from '../../src/training/random.js';
import { sequenceBatches } from './sequence-batches.js';
import { BATCH, configOf, noisyWeights, type Size } from './setting.js';

interface Case {
  readonly size: Size;
  readonly length?: string;
  readonly dropout?: number;
  readonly precision?: 'tf32' | 'fp16';
  readonly tokens?: number;
  readonly layers?: number;
  readonly activation?: 'gelu' | 'relu';
  readonly device?: 'cuda' | 'cpu';
  /** Steps of the shorter and of the longer run. */
  readonly steps?: readonly [number, number];
}

for (const text of process.argv.slice(2)) {
  const {
    size,
    length = '384',
    dropout = 0.1,
    precision = 'fp16',
    tokens = 16_384,
    layers,
    activation = 'gelu',
    device = 'cuda',
    steps: [few, many] = [2, 42],
  } = JSON.parse(text) as Case;
  const whole = configOf(size);
  const config = { ...whole, layers: layers ?? whole.layers, activation };
  const way = { kind: 'cuda training', ...JSON.parse(text) };
  try {
    const started = performance.now();
    const engine = await DeviceEngine.open(
      { config, loss: 'pointwise', dropout, seed: 1, device, precision, threads: 1 },
      noisyWeights(config),
    );
    const loadSeconds = (performance.now() - started) / 1000;
    const random = new Random('lengths');
    const [least, most] = length.includes('–')
      ? length.split('–').map(Number)
      : [Number(length), Number(length)];
    const lengths = Array.from({ length: BATCH * many }, () => least + random.below(most - least + 1));
    const steps = Array.from({ length: many }, (_, i) => ({
      number: i,
      learningRate: 1e-6,
      batches: sequenceBatches(lengths.slice(BATCH * i, BATCH * (i + 1)), tokens, i),
    }));
    const timed = async (count: number) => {
      const start = performance.now();
      const outcomes = await engine.steps(steps.slice(0, count));
      return { seconds: (performance.now() - start) / 1000, outcomes };
    };
    const first = await timed(few);
    const short = await timed(few);
    const long = await timed(many);
    await engine.release();
    const step = (long.seconds - short.seconds) / (many - few);
    console.log(
      JSON.stringify({
        ...way,
        loadSeconds,
        firstSeconds: first.seconds,
        milliseconds: 1000 * step,
        runSeconds: short.seconds - few * step,
        examplesPerSecond: BATCH / step,
        losses: long.outcomes.slice(-2),
        memory: process.resourceUsage().maxRSS / 1024,
      }),
    );
  } catch (error) {
    console.log(JSON.stringify({ ...way, error: String(error).slice(0, 600) }));
  }
}
