import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closing } from '../../common/closing.js';
import { missingError } from '../../common/errors.js';
import { demoFolder } from '../../common/package-files.js';
import type { BertWeights } from '../checkpoint/index.js';
import { bertGraph, type GraphOptions, observedProducts } from '../graph/index.js';
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
    const products: GraphOptions['products'] = (store, floats) => observedProducts(store, floats, config);
    await writeModel(bertGraph(weights, { products }), path);
    const sequences = pairs.map((pair) => sequenceOf(pair, tokenizer, config.maxPositions));
    const file = workerUrl('compile/calibration-worker.js');
    const options = { file, name: 'calibration', device: 'cpu', setup: path } as const;
    return await closing(NativeWorker.start<CalibrationService>(options), (worker) =>
      worker.call('observe', sequences),
    );
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

/** Prose on many subjects, shipped with the package. */
const demo = join(demoFolder, 'corpus.jsonl');

/** The number of the demo's articles that are used. */
const ARTICLES = 64;

/**
 * The default pairs for calibration: an article's title with its text (relevant) and a run of words of one article with
 * another article (mostly irrelevant). Short and long first texts, relevant and irrelevant pairs all occur, as in the
 * three phases.
 */
export async function defaultCalibrationPairs(): Promise<TextPair[]> {
  const text = await readFile(demo, 'utf8').catch((error: unknown) => {
    throw missingError(
      `${demo}: needed to choose the scales of an int8 model; install the package again or give calibration pairs`,
      error,
    );
  });
  const articles = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { title: string; text: string });
  const step = Math.max(1, Math.floor(articles.length / ARTICLES));
  const chosen = articles.filter((_, i) => i % step === 0);
  return chosen.flatMap((article, i) => {
    const other = chosen[(i + 1) % chosen.length];
    const chunk = other.text.split(' ').slice(5, 15).join(' ');
    return [
      { a: article.title, b: article.text },
      { a: chunk, b: article.text },
      { a: chunk, b: article.text.split(' ').slice(0, 12).join(' ') },
    ];
  });
}
