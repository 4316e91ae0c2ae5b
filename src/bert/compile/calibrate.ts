import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closing } from '../../common/closing.js';
import type { BertWeights } from '../checkpoint/index.js';
import { bertGraph, observedProducts } from '../graph/index.js';
import { writeModel } from '../onnx/index.js';
import { NativeWorker, workerUrl } from '../runtime/index.js';
import { budgetFor, DEFAULT_MAX_LENGTH, sequenceLength, writeSequence } from '../sequence.js';
import type { TextPair, Tokenizer } from '../types.js';
import type { CalibrationSequence, CalibrationService } from './calibration-worker.js';
import type { Observed } from './int8-scales.js';

/** Observes the channels of the operands of all large products on the given pairs. */
export async function calibrate(
  weights: BertWeights,
  tokenizer: Tokenizer,
  pairs: readonly TextPair[],
): Promise<Observed> {
  const folder = await mkdtemp(join(tmpdir(), 'bert-qe-calibration-'));
  try {
    const path = join(folder, 'model.onnx');
    const { config } = weights;
    const products = observedProducts.bind(undefined, config);
    await writeModel(bertGraph(weights, { products }), path);
    const { maxPositions } = config;
    const sequences = pairs.map((pair) => sequenceOf(pair, tokenizer, maxPositions));
    return await observe(path, sequences);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function sequenceOf({ a, b }: TextPair, tokenizer: Tokenizer, maxPositions: number): CalibrationSequence {
  const { template } = tokenizer;
  const budget = budgetFor(Math.min(DEFAULT_MAX_LENGTH, maxPositions), template);
  const first = tokenizer.encode(a).subarray(0, budget.first);
  const second = tokenizer.encode(b).subarray(0, budget.second);
  const ids = new Int32Array(sequenceLength(template, first, second));
  const split = writeSequence(ids, 0, template, first, second);
  const secondSlots = template.secondSegment * maxPositions;
  return { ids, slots: ids.map((_, position) => (position < split ? position : secondSlots + position)) };
}

async function observe(path: string, sequences: readonly CalibrationSequence[]): Promise<Observed> {
  const file = workerUrl('compile/calibration-worker.js');
  const options = { file, name: 'calibration', device: 'cpu', setup: path } as const;
  return closing(NativeWorker.start<CalibrationService>(options), (worker) =>
    worker.call('observe', sequences),
  );
}
