import { basename, dirname, join } from 'node:path';
import { writeFileAtomic } from '../../common/atomic.js';
import { encodeModel, type TensorStorage } from './encode.js';
import type { Graph, Initializer } from './graph.js';
import { byteLength, bytesOf, encodeInline } from './model-bytes.js';

/** Tensors under this size stay in the model file: shapes and scalars are needed while the graph is loaded. */
const INLINE_BYTES = 1024;

/** The alignment at which onnxruntime maps external tensors into memory. */
const PAGE = 4096;

/**
 * Writes a model as `path` and its weights as `<path>.data`. Weights are produced and written one at a time, so memory
 * holds one of them; a session maps them instead of reading them.
 */
export async function writeModel(graph: Graph, path: string): Promise<void> {
  const file = `${basename(path)}.data`;
  const stored = new Map<Initializer, TensorStorage>();
  const external: Initializer[] = [];
  let end = 0;
  for (const tensor of graph.allInitializers()) {
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

async function* pages(tensors: readonly Initializer[]): AsyncGenerator<Uint8Array> {
  for (const tensor of tensors) {
    const bytes = await bytesOf(tensor);
    yield bytes;
    if (tensor !== tensors.at(-1)) yield new Uint8Array((PAGE - (bytes.byteLength % PAGE)) % PAGE);
  }
}
