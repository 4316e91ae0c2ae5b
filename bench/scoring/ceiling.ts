// node --import tsx bench/scoring/ceiling.ts
// The fastest this machine multiplies floats through the same runtime: one large plain MatMul on all cores.
import { availableParallelism } from 'node:os';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { Graph, modelBytes } from '../../src/bert/onnx/index.js';
import { print, timed } from './measurement.js';

const SIZE = 2048;
const ROUNDS = 12;

const values = Float32Array.from({ length: SIZE * SIZE }, (_, i) => Math.sin(i));
const graph = new Graph('ceiling');
const x = graph.input('x', 'float32', ['rows', SIZE]);
const weight = graph.initializer('w', 'float32', [SIZE, SIZE], () => values);
const product = graph.op('MatMul', [x, weight]);
// Reduced, so that no large output has to be copied.
graph.output(graph.op('ReduceMax', [product, graph.integers([1])], { keepdims: 0 }), 'y', 'float32', [
  'rows',
]);
const session = await InferenceSession.create(await modelBytes(graph), {
  intraOpNumThreads: availableParallelism(),
});
const feeds = { x: new Tensor('float32', values, [SIZE, SIZE]) };
await session.run(feeds);
const times: number[] = [];
for (let round = 0; round < ROUNDS; round++) times.push(await timed(() => session.run(feeds)));
const seconds = Math.min(...times);
const flops = (2 * SIZE ** 3) / seconds;
const batch = `${SIZE}³`;
print({ system: 'ceiling', model: 'MatMul', precision: 'fp32', batch, pairs: 0, seconds, flops });
await session.release();
