import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { closing } from '../../common/closing.js';
import { throwIfAborted } from '../../common/errors.js';
import { getOrInsert } from '../../common/get-or-insert.js';
import { bertWeights, openCheckpoint } from '../checkpoint/index.js';
import { calibratedForm, compiledGraph, defaultCalibrationPairs } from '../compile/index.js';
import { loadTokenizer, readModelConfig } from '../model-folder.js';
import { writeModel } from '../onnx/index.js';
import { BertScorer } from '../scorer/bert-scorer.js';
import { type Logits, logOdds, probabilities } from '../scorer/probabilities.js';
import type { TextPair } from '../types.js';
import { writeConfig } from './convert.js';
import { kendallTau } from './kendall.js';
import { copyTokenizer, writeNewModel } from './new-folder.js';

interface QuantizeOptions {
  /** Pairs for choosing the scales and measuring the agreement; default: pairs of the demo's articles. */
  readonly pairs?: readonly TextPair[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The agreement of an int8 model with the fp32 model it was made from. */
export interface Agreement {
  readonly pairs: number;
  /** Kendall's τ over all pairs. */
  readonly tau: number;
  /** The mean of τ over lists of pairs with the same first text, that is, over rankings; NaN without such lists. */
  readonly tauPerList: number;
  /** Largest difference of a probability. */
  readonly largestDifference: number;
}

/** The most pairs used: ranges settle early. */
const CALIBRATION_PAIRS = 512;

/** The shortest list measured: with two pairs, τ is 1 or −1. */
const SHORTEST_LIST = 5;

/** Writes an int8 model folder and measures its agreement with the original. */
export async function quantizeModel(
  folder: string,
  target: string,
  { pairs, signal }: QuantizeOptions = {},
): Promise<Agreement> {
  const config = await readModelConfig(folder);
  const tokenizer = await loadTokenizer(folder);
  const sample = pairs ?? (await defaultCalibrationPairs());
  const step = Math.max(1, Math.floor(sample.length / CALIBRATION_PAIRS));
  const calibration = sample.filter((_, i) => i % step === 0);
  await closing(openCheckpoint(folder), async (checkpoint) => {
    const weights = bertWeights(checkpoint, config);
    await writeNewModel(target, signal, async () => {
      await copyTokenizer(folder, target);
      await mkdir(join(target, 'onnx'));
      throwIfAborted(signal);
      const form = await calibratedForm(weights, tokenizer, calibration);
      const graph = compiledGraph(weights, 'int8', 'equal', form);
      await writeModel(graph, join(target, 'onnx/model_int8.onnx'));
      await writeConfig(config, target);
    });
  });
  const logits = (model: string) =>
    closing(BertScorer.load({ model }), (scorer) => scorer.scoreLogits(sample, { signal }));
  return agreement(sample, await logits(folder), await logits(target));
}

function agreement(pairs: readonly TextPair[], before: Logits, after: Logits): Agreement {
  // Log-odds have the order of probabilities, but do not saturate.
  const [x, y] = [logOdds(before), logOdds(after)];
  const lists = new Map<string, number[]>();
  pairs.forEach(({ a }, i) => getOrInsert(lists, a, () => []).push(i));
  const taus: number[] = [];
  for (const list of lists.values()) {
    if (list.length < SHORTEST_LIST) continue;
    const tau = kendallTau(
      list.map((i) => x[i]),
      list.map((i) => y[i]),
    );
    if (!Number.isNaN(tau)) taus.push(tau);
  }
  const [p, q] = [probabilities(before), probabilities(after)];
  return {
    pairs: pairs.length,
    tau: kendallTau(x, y),
    tauPerList: taus.reduce((sum, tau) => sum + tau, 0) / taus.length,
    largestDifference: p.reduce((most, value, i) => Math.max(most, Math.abs(value - q[i])), 0),
  };
}
