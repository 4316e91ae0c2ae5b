import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { BertQeError } from '../../common/errors.js';
import type { BertWeights } from '../checkpoint/index.js';
import { bertGraph, observedProducts, type Ranges } from '../graph/index.js';
import { writeModel } from '../onnx/index.js';
import { createGuard, forgetGuard, workerUrl } from '../runtime/index.js';
import { budgetFor, DEFAULT_MAX_LENGTH, sequenceLength, writeSequence } from '../sequence.js';
import type { TextPair, Tokenizer } from '../types.js';
import type { CalibrationSetup, CalibrationSequence, FromCalibration } from './calibration-worker.js';

/** Observes, per channel, which values the operands of all large products take on the given pairs. */
export async function calibrate(
  weights: BertWeights,
  tokenizer: Tokenizer,
  pairs: readonly TextPair[],
): Promise<Ranges> {
  const folder = await mkdtemp(join(tmpdir(), 'bert-qe-calibration-'));
  try {
    const path = join(folder, 'model.onnx');
    await writeModel(bertGraph(weights, { float: 'float32', products: observedProducts }), path);
    const { maxPositions } = weights.config;
    const sequences = pairs.map((pair) => sequenceOf(pair, tokenizer, maxPositions));
    return await observe({ path, sequences });
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

/** Runs all sequences in a worker that ends by itself. */
async function observe(setup: Omit<CalibrationSetup, 'guard'>): Promise<Ranges> {
  const guard = createGuard();
  try {
    return await new Promise<Ranges>((resolve, reject) => {
      const worker = new Worker(workerUrl('compile/calibration-worker.js'), {
        workerData: { ...setup, guard },
        execArgv: [],
      });
      let answer: FromCalibration | undefined;
      worker.on('message', (message: FromCalibration) => (answer = message));
      worker.on('error', reject);
      worker.on('exit', () => {
        if (answer instanceof Map) resolve(answer);
        else reject(new BertQeError('failure', `Calibration failed: ${answer ?? 'its worker died'}.`));
      });
    });
  } finally {
    forgetGuard(guard);
  }
}
