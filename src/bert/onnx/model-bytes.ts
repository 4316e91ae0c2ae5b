import { elementBytes } from '../checkpoint/dtype.js';
import { encodeModel, type TensorStorage } from './encode.js';
import type { Graph, Initializer } from './graph.js';

/** The limit of a protobuf message; larger models must keep their weights outside it. */
const MESSAGE_LIMIT = 2 ** 31 - 1;

/** The bytes of a small model, for a session that loads it from memory. */
export async function modelBytes(graph: Graph): Promise<Uint8Array<ArrayBuffer>> {
  return (await encodeInline(graph)).toBytes();
}

/** The model as one message, its weights inside it. */
export async function encodeInline(graph: Graph) {
  const stored = new Map<Initializer, TensorStorage>();
  for (const tensor of graph.allInitializers()) stored.set(tensor, await bytesOf(tensor));
  const message = encodeModel(graph, stored);
  if (message.byteLength > MESSAGE_LIMIT) {
    throw new RangeError(`${graph.name}: ${message.byteLength} bytes do not fit one ONNX file (2 GiB).`);
  }
  return message;
}

export function byteLength(tensor: Initializer): number {
  return tensor.dims.reduce((product, dim) => product * dim, elementBytes(tensor.type));
}

/** The bytes of a tensor, checked against its shape. */
export async function bytesOf(tensor: Initializer): Promise<Uint8Array> {
  const view = await tensor.data();
  if (view.byteLength !== byteLength(tensor)) {
    throw new RangeError(
      `Initialiser ${tensor.name}, ${tensor.type} [${tensor.dims.join(', ')}], was given ${view.byteLength} bytes.`,
    );
  }
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}
