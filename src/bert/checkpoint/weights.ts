import { corruptError, inputError, usageError } from '../../common/errors.js';
import type { ModelConfig } from '../config.js';
import { transposed } from '../matrices.js';
import type { CheckpointFile, TensorInfo } from './checkpoint-file.js';
import { bertTensorShapes, type Head, placeTensor } from './names.js';

/** A BERT's weights under canonical names, whatever the format of the checkpoint. */
export interface BertWeights {
  readonly config: ModelConfig;
  /** The shapes of all tensors that `get` gives, by canonical name (see {@link bertTensorShapes}). */
  readonly shapes: ReadonlyMap<string, readonly number[]>;
  /**
   * Values in row-major order. Linear weights are `[out, in]` (y = x·Wᵀ + b) as in PyTorch; TensorFlow's
   * `[in, out]` kernels are transposed on reading.
   */
  get(name: string): Promise<Float32Array>;
}

interface Source {
  readonly stored: string;
  readonly transposed: boolean;
}

/**
 * Maps a checkpoint to a BERT of the given configuration. All tensors that do not fit (missing, unknown, duplicate,
 * misshapen or not floats) are reported in one error before any weight is read.
 */
export function bertWeights(
  checkpoint: Pick<CheckpointFile, 'path' | 'tensors' | 'read'>,
  config: ModelConfig,
  { head = 'classifier' }: { readonly head?: Head } = {},
): BertWeights {
  const where = checkpoint.path;
  const shapes = bertTensorShapes(config, head);
  const { sources, problems } = place(checkpoint, storedShapes(shapes, config), head);
  const missing = [...shapes.keys()].filter((name) => !sources.has(name));
  const headMissing = missing.length > 0 && missing.every((name) => /^(?:pooler|classifier)\./.test(name));
  if (missing.length > 0) problems.unshift(`missing ${missing.join(', ')}`);
  if (problems.length > 0) {
    const hint =
      headMissing && problems.length === 1
        ? 'the model was only pre-trained: fine-tune it first'
        : 'the config and the weights are not of the same model';
    throw inputError(`${where}: the tensors do not fit the config (${hint}): ${problems.join('; ')}`);
  }
  return {
    config,
    shapes,
    async get(name) {
      const source = sources.get(name);
      const shape = shapes.get(name);
      if (source === undefined || shape === undefined) {
        throw usageError(`There is no tensor "${name}" in a BERT of this configuration.`);
      }
      const values = await checkpoint.read(source.stored);
      requireFinite(values, source.stored, where);
      if (name === POSITIONS) return values.subarray(values.length - shape[0] * shape[1]);
      return source.transposed ? transposed(values, shape[1], shape[0]) : values;
    },
  };
}

const POSITIONS = 'embeddings.position_embeddings.weight';

/** The shapes in the checkpoint: some families leave the first rows of the position table unused. */
function storedShapes(
  shapes: ReadonlyMap<string, readonly number[]>,
  { firstPosition = 0, maxPositions, hidden }: ModelConfig,
): ReadonlyMap<string, readonly number[]> {
  return new Map([...shapes, [POSITIONS, [firstPosition + maxPositions, hidden]]]);
}

function place(
  checkpoint: Pick<CheckpointFile, 'tensors'>,
  shapes: ReadonlyMap<string, readonly number[]>,
  head: Head,
): { sources: Map<string, Source>; problems: string[] } {
  const sources = new Map<string, Source>();
  const unexpected: string[] = [];
  const problems: string[] = [];
  for (const tensor of checkpoint.tensors.values()) {
    const placement = placeTensor(tensor.name, head);
    if (placement === 'ignored') continue;
    const shape = placement === 'unknown' ? undefined : shapes.get(placement.name);
    if (placement === 'unknown' || shape === undefined) {
      unexpected.push(tensor.name);
      continue;
    }
    const rival = sources.get(placement.name);
    if (rival !== undefined) problems.push(`${placement.name} is both ${rival.stored} and ${tensor.name}`);
    sources.set(placement.name, { stored: tensor.name, transposed: placement.transposed });
    const problem = misfit(tensor, placement.transposed ? shape.toReversed() : shape);
    if (problem !== undefined) problems.push(problem);
  }
  if (unexpected.length > 0) problems.unshift(`unexpected ${unexpected.join(', ')}`);
  return { sources, problems };
}

function misfit(tensor: TensorInfo, expected: readonly number[]): string | undefined {
  if (tensor.shape.join() !== expected.join()) {
    return `${tensor.name} has shape [${tensor.shape.join(', ')}], expected [${expected.join(', ')}]`;
  }
  return /float/.test(tensor.dtype) ? undefined : `${tensor.name} holds ${tensor.dtype}, expected floats`;
}

function requireFinite(values: Float32Array, stored: string, where: string): void {
  for (let i = 0; i < values.length; i++) {
    if (!Number.isFinite(values[i])) {
      throw corruptError(
        `${where}: ${stored} holds ${values[i]} at element ${i}; the weights are damaged, fetch them again`,
      );
    }
  }
}
