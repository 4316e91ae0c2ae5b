// node --import tsx bench/scoring/gpu/shipped.ts SIZES [DEVICE]: how far the logits of the models that ship are, on
// pairs of the demo, from their own on the CPU in fp32; through the whole scorer, from text to logits.
import { defaultCalibrationPairs } from '../../../src/bert/compile/index.js';
import type { Precision } from '../../../src/bert/compile/index.js';
import { kendallTau } from '../../../src/bert/index.js';
import { BertScorer } from '../../../src/bert/scorer/bert-scorer.js';

const [sizes, device = 'webgpu'] = process.argv.slice(2);

/** Relevance before the sigmoid. */
function margins(values: Float32Array): number[] {
  return Array.from({ length: values.length / 2 }, (_, i) => values[2 * i + 1] - values[2 * i]);
}

/** Of the demo's pairs every other article's: a title or ten words of another article, with the text or its beginning. */
const pairs = (await defaultCalibrationPairs()).filter((_, i) => Math.floor(i / 3) % 2 === 0);

async function logits(
  model: string,
  on: 'cpu' | 'webgpu' | 'cuda',
  precision: Precision,
): Promise<Float32Array> {
  const scorer = await BertScorer.load({ model, device: on, precision, batchTokens: 4096 });
  try {
    return (await scorer.scoreLogits(pairs)).values;
  } finally {
    await scorer.close();
  }
}

for (const size of sizes) {
  const exact = await logits(size, 'cpu', 'fp32');
  for (const precision of device === 'webgpu'
    ? (['fp32', 'fp16', 'int8'] as const)
    : (['fp32', 'fp16'] as const)) {
    const found = await logits(size, device as 'webgpu', precision);
    const differences = Array.from(found, (value, i) => Math.abs(value - exact[i]));
    const row = {
      kind: 'shipped',
      size,
      precision,
      pairs: pairs.length,
      largestLogit: exact.reduce((most, value) => Math.max(most, Math.abs(value)), 0),
      rms: Math.hypot(...differences) / Math.sqrt(differences.length),
      difference: Math.max(...differences),
      tau: kendallTau(margins(exact), margins(found)),
    };
    console.log(JSON.stringify(row));
  }
}
