import { constants } from 'node:os';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { reasonOf } from '../../common/errors.js';
import { Graph, modelBytes } from '../onnx/index.js';

/**
 * A separate process that tries a device: `node probe.js DEVICE LIBRARY…`. It prints its result as one line of JSON.
 * Libraries and crashes stay out of the calling process.
 */

/** The result of trying a device. */
export interface ProbeResult {
  /** Libraries of the system that cannot be loaded. */
  readonly missing: readonly string[];
  /** The reason why a graph does not run on the device. */
  readonly failure?: string;
}

const [device, ...libraries] = process.argv.slice(2);
const missing = libraries.filter((name) => !canLoad(name));
const failure = missing.length === 0 ? await runFailure(device) : undefined;
const result: ProbeResult = { missing, ...(failure === undefined ? {} : { failure }) };
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

/** Multiplies two numbers on the device. */
async function runFailure(provider: string): Promise<string | undefined> {
  try {
    const graph = new Graph('probe');
    const x = graph.input('x', 'float32', [1, 1]);
    const weight = graph.initializer('w', 'float32', [1, 1], () => Float32Array.of(3));
    graph.output(graph.op('MatMul', [x, weight]), 'y', 'float32', [1, 1]);
    const session = await InferenceSession.create(await modelBytes(graph), {
      executionProviders: [provider],
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
