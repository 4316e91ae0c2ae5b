import { constants } from 'node:os';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { reasonOf } from '../../common/errors.js';
import { Graph, modelBytes } from '../onnx/index.js';

/**
 * A separate process that tries a device: `node probe.js DEVICE LIBRARY…`. It prints its result as one line of JSON.
 * With `none` for the device, only the libraries are tried.
 * Libraries and crashes stay out of the calling process.
 */

/** The result of trying a device. */
export interface ProbeResult {
  /** Libraries of the system that cannot be loaded. */
  readonly missing: readonly string[];
  /** The reason why a graph does not run on the device. */
  readonly failure?: string;
  /** The number of cards that a graph runs on; 0 where it fails. */
  readonly cards: number;
}

const [device, ...libraries] = process.argv.slice(2);
const missing = libraries.filter((name) => !canLoad(name));
let cards = 0;
let failure: string | undefined;
if (missing.length === 0 && device !== 'none') {
  failure = await runFailure(device);
  if (failure === undefined) {
    cards = device === 'cuda' ? await cardCount() : 1;
  }
}
const result: ProbeResult = { missing, cards, ...(failure === undefined ? {} : { failure }) };
process.stdout.write(`${JSON.stringify(result)}\n`);

/** Loads a library as if it were an addon: the error tells if it was found. */
function canLoad(name: string): boolean {
  try {
    process.dlopen({ exports: {} }, name, constants.dlopen.RTLD_LAZY);
    return true;
  } catch (error) {
    return !/cannot open shared object|no such file/i.test(reasonOf(error));
  }
}

/** The number of cards: the first that there is not is refused at once. */
async function cardCount(): Promise<number> {
  let count = 1;
  while ((await runFailure('cuda', count)) === undefined) count++;
  return count;
}

/** Multiplies two numbers on the device, or on one of its cards. */
async function runFailure(provider: string, card = 0): Promise<string | undefined> {
  try {
    const graph = new Graph('probe');
    const x = graph.input('x', 'float32', [1, 1]);
    const weight = graph.initializer('w', 'float32', [1, 1], () => Float32Array.of(3));
    graph.output(graph.op('MatMul', [x, weight]), 'y', 'float32', [1, 1]);
    const session = await InferenceSession.create(await modelBytes(graph), {
      executionProviders: [card === 0 ? provider : { name: 'cuda', deviceId: card }],
      logSeverityLevel: 4,
    });
    const { y } = await session.run({ x: new Tensor('float32', Float32Array.of(2), [1, 1]) });
    const product = Number(y.data[0]);
    await session.release();
    return product === 6 ? undefined : `2 · 3 is ${product} there`;
  } catch (error) {
    return reasonOf(error);
  }
}
