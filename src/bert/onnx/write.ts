import { basename, dirname, join } from 'node:path';
import { writeFileAtomic } from '../../common/atomic.js';
import { encodeModel, type TensorStorage } from './encode.js';
import type { Graph, Initializer } from './graph.js';

/** Tensors under this size stay in the model file: shapes and scalars are needed while the graph is loaded. */
const INLINE_BYTES = 1024;

/** The alignment at which onnxruntime maps external tensors into memory. */
const PAGE = 4096;

/** The limit of a protobuf message; larger models must keep their weights outside it. */
const MESSAGE_LIMIT = 2 ** 31 - 1;

const ELEMENT_BYTES = { float32: 4, uint8: 1, int8: 1, int32: 4, int64: 8, bool: 1, float16: 2 } as const;

/**
 * Writes a model as `path` and its weights as `<path>.data`. Weights are produced and written one at a time, so memory
 * holds one of them; a session maps them instead of reading them.
 */
export async function writeModel(graph: Graph, path: string): Promise<void> {
  const file = `${basename(path)}.data`;
  const stored = new Map<Initializer, TensorStorage>();
  const external: Initializer[] = [];
  let end = 0;
  for (const tensor of graph.initializers) {
    const length = byteLength(tensor);
    if (length < INLINE_BYTES) {
      stored.set(tensor, await bytesOf(tensor));
    } else {
      const offset = Math.ceil(end / PAGE) * PAGE;
      stored.set(tensor, { file, offset, length });
      external.push(tensor);
      end = offset + length;
    }
  }
  await writeFileAtomic(join(dirname(path), file), pages(external));
  await writeFileAtomic(path, encodeModel(graph, stored).chunks);
}

/** Writes a model as one file, the form in which models are usually exchanged. */
export async function writeSingleFileModel(graph: Graph, path: string): Promise<void> {
  await writeFileAtomic(path, (await encodeInline(graph)).chunks);
}

/** The bytes of a small model, for a session that loads it from memory. */
export async function modelBytes(graph: Graph): Promise<Uint8Array<ArrayBuffer>> {
  return (await encodeInline(graph)).toBytes();
}

async function* pages(tensors: readonly Initializer[]): AsyncGenerator<Uint8Array> {
  for (const tensor of tensors) {
    const bytes = await bytesOf(tensor);
    yield bytes;
    if (tensor !== tensors.at(-1)) yield new Uint8Array((PAGE - (bytes.byteLength % PAGE)) % PAGE);
  }
}

async function encodeInline(graph: Graph) {
  const stored = new Map<Initializer, TensorStorage>();
  for (const tensor of graph.initializers) stored.set(tensor, await bytesOf(tensor));
  const message = encodeModel(graph, stored);
  if (message.byteLength > MESSAGE_LIMIT) {
    throw new RangeError(`${graph.name}: ${message.byteLength} bytes do not fit one ONNX file (2 GiB).`);
  }
  return message;
}

function byteLength(tensor: Initializer): number {
  return tensor.dims.reduce((product, dim) => product * dim, ELEMENT_BYTES[tensor.type]);
}

async function bytesOf(tensor: Initializer): Promise<Uint8Array> {
  const view = await tensor.data();
  if (view.byteLength !== byteLength(tensor)) {
    throw new RangeError(
      `Initialiser ${tensor.name}, ${tensor.type} [${tensor.dims.join(', ')}], was given ${view.byteLength} bytes.`,
    );
  }
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}
