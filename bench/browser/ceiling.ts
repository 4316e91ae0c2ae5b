// node --import tsx bench/browser/ceiling.ts [ROUNDS]
// How near S comes to the fastest that onnxruntime-web multiplies floats: on one thread, in Node, whose WebAssembly is
// Chromium's. One large product and a batch of S take turns; the ratio is the median of those of the rounds.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { env, InferenceSession, Tensor } from 'onnxruntime-web/wasm';
import { bertGraph, bertWeights, MemoryFile, modelBytes, readSafetensors } from '../../src/bert/core.js';
import { readModelConfig } from '../../src/bert/index.js';
import { Graph } from '../../src/bert/onnx/graph.js';

const rounds = Number(process.argv[2] ?? 15);
const SIZE = 1024;
/** A batch: passages of 100 words with chunks of ten. */
const ROWS = 7;
const LENGTH = 146;

env.wasm.numThreads = 1;
env.logLevel = 'error';

const folder = join(import.meta.dirname, '../../models/small');
const config = await readModelConfig(folder);
const file = new MemoryFile(folder, readFileSync(join(folder, 'model.safetensors')));
const model = await InferenceSession.create(
  await modelBytes(bertGraph(bertWeights(await readSafetensors(file), config))),
  { enableMemPattern: false },
);
const numbers = Int32Array.from({ length: ROWS * LENGTH }, (_, i) => i % LENGTH);
const batch = new Tensor('int32', numbers, [ROWS, LENGTH]);
const batchFeeds = Object.fromEntries(model.inputNames.map((name) => [name, batch]));

const graph = new Graph('ceiling');
const product = graph.op('MatMul', [
  graph.input('a', 'float32', [SIZE, SIZE]),
  graph.input('b', 'float32', [SIZE, SIZE]),
]);
graph.output(product, 'c', 'float32', [SIZE, SIZE]);
const large = await InferenceSession.create(await modelBytes(graph));
const floats = Float32Array.from({ length: SIZE * SIZE }, (_, i) => Math.sin(i));
const square = new Tensor('float32', floats, [SIZE, SIZE]);

const { hidden, layers, heads } = config;
const tokens = ROWS * LENGTH;
/** What exact scores need: the last layer is computed for the first token alone. */
const useful =
  (layers - 1) * (2 * tokens * 12 * hidden ** 2 + 4 * tokens * LENGTH * hidden) + 8 * tokens * heads * hidden;

/** Billions of operations per second. */
async function rate(
  session: InferenceSession,
  feeds: Record<string, Tensor>,
  flops: number,
): Promise<number> {
  const began = performance.now();
  await session.run(feeds);
  return flops / (performance.now() - began) / 1e6;
}

const ceilings: number[] = [];
const rates: number[] = [];
for (let round = 0; round < rounds; round++) {
  ceilings.push(await rate(large, { a: square, b: square }, 2 * SIZE ** 3));
  rates.push(await rate(model, batchFeeds, useful));
}
const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
process.stdout.write(
  `${JSON.stringify({
    product: { median: median(ceilings), best: Math.max(...ceilings) },
    S: { median: median(rates), best: Math.max(...rates) },
    ratio: median(rates.map((value, round) => value / ceilings[round])),
  })}\n`,
);
