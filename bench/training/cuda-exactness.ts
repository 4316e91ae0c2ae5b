// node cuda-exactness.js SIZES: training steps on CUDA beside those on the CPU in fp32: loss, norm and the weights' changes.
import { DeviceEngine } from '../../src/training/engine/device-engine.js';
import { openBertEngine } from '../../src/training/engine/bert-engine.js';
import type { StepOutcome } from '../../src/training/engine/training-engine.js';
import { sequenceBatches } from './sequence-batches.js';
import { configOf, noisyWeights, type Size } from './setting.js';

const [sizes, device = 'cuda'] = process.argv.slice(2);
const lengths = [40, 64, 23, 50, 17, 60, 33, 48];
const rates = [1e-4, 5e-5, 5e-5];

for (const size of sizes as Iterable<Size>) {
  const config = configOf(size);
  const settings = {
    config,
    loss: 'pointwise',
    dropout: 0,
    seed: 1,
    threads: 8,
  } as const;
  const exact = await openBertEngine({ ...settings, device: 'cpu' }, noisyWeights(config));
  const steps = rates.map((learningRate, i) => ({
    number: i,
    learningRate,
    batches: sequenceBatches(lengths, 256, i),
  }));
  const expected: StepOutcome[] = [];
  const start = new Map([...exact.parameters].map(([name, { values }]) => [name, values.slice()]));
  for (const step of steps) expected.push(await exact.step(step));
  for (const precision of ['tf32', 'fp16'] as const) {
    const way = { kind: 'cuda training exactness', size, precision };
    try {
      const engine = await DeviceEngine.open(
        { ...settings, device: device as 'cuda', precision },
        noisyWeights(config),
      );
      const found = await engine.steps(steps);
      let [apart, moved, worst] = [0, 0, 0];
      for (const [name, { values }] of exact.parameters) {
        // The true gradient of a key's bias is 0.
        if (name.endsWith('key.bias')) continue;
        const own = engine.parameters.get(name)!.values;
        const before = start.get(name)!;
        let [difference, change] = [0, 0];
        values.forEach((value, i) => {
          difference += (value - own[i]) ** 2;
          change += (value - before[i]) ** 2;
        });
        apart += difference;
        moved += change;
        worst = Math.max(worst, Math.sqrt(difference / change));
      }
      console.log(
        JSON.stringify({
          ...way,
          loss: found.map(({ loss }, i) => Math.abs(loss / expected[i].loss - 1)),
          norm: found.map(({ gradientNorm }, i) => Math.abs(gradientNorm / expected[i].gradientNorm - 1)),
          changes: Math.sqrt(apart / moved),
          worstTensor: worst,
        }),
      );
      await engine.release();
    } catch (error) {
      console.log(JSON.stringify({ ...way, error: String(error).slice(0, 600) }));
    }
  }
  await exact.release();
}
