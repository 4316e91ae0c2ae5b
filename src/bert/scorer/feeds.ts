import type { InferenceSession, Tensor } from 'onnxruntime-node';
import { inputError } from '../../common/errors.js';
import { GRAPH_IDS, GRAPH_SLOTS } from '../graph/names.js';
import type { RunnableModel, WorkerSetup } from './messages.js';

/**
 * Makes the named inputs of one batch. `length` is that of the longest sequence, `splits` are the positions of second
 * texts, `ends` those after the last tokens where sequences differ in length.
 */
export type Feeds = (
  ids: Int32Array,
  splits: Int32Array,
  length: number,
  ends?: Int32Array,
) => Record<string, Tensor>;

type Inputs = InferenceSession['inputMetadata'];

/** The tensor class of a runtime: onnxruntime-node's or onnxruntime-web's. */
export type TensorClass = typeof Tensor;

/** Makes the feeds of a model with these inputs. */
export type FeedsOf = (
  setup: Pick<WorkerSetup, 'model' | 'secondSegment'>,
  inputs: Inputs,
  Tensor: TensorClass,
) => Feeds;

/** The content of an export's input. */
export type InputMeaning = 'ids' | 'mask' | 'types';

/** Names of inputs in exports, and their contents. */
const MEANINGS: readonly (readonly [RegExp, InputMeaning])[] = [
  [/^(?:input_?ids|input_word_ids|ids|tokens)(?::0)?$/i, 'ids'],
  [/mask/i, 'mask'],
  [/(?:token_?type|segment|input_type)/i, 'types'],
];

/** The content of an input by its name; undefined if a cross-encoder has no such input. */
export function inputMeaning(name: string): InputMeaning | undefined {
  return MEANINGS.find(([pattern]) => pattern.test(name))?.[1];
}

/** The feeds of batches of rows of one length; refuses an export whose inputs are not those of a cross-encoder. */
export const rowFeeds: FeedsOf = ({ model, secondSegment }, inputs, tensors) => {
  const isCompiled = inputs.some(({ name }) => name === GRAPH_SLOTS);
  return isCompiled
    ? slotFeeds(model, secondSegment, tensors)
    : exportFeeds(inputs, model.path, secondSegment, tensors);
};

/** Feeds of bertGraph, for sequences of one length or padded; slots are defined in embeddings.ts. */
function slotFeeds(
  { maxPositions, paddingSlot }: RunnableModel,
  secondSegment: 0 | 1,
  Tensor: TensorClass,
): Feeds {
  const secondSlots = secondSegment * maxPositions;
  return (ids, splits, length, ends) => {
    const dims = [splits.length, length];
    const slots = new Int32Array(ids.length);
    fill(slots, splits, length, (position, second) => (second ? secondSlots + position : position));
    ends?.forEach((end, row) => slots.fill(paddingSlot!, row * length + end, (row + 1) * length));
    return {
      [GRAPH_IDS]: new Tensor('int32', ids, dims),
      [GRAPH_SLOTS]: new Tensor('int32', slots, dims),
    };
  };
}

function exportFeeds(inputs: Inputs, path: string, secondSegment: 0 | 1, Tensor: TensorClass): Feeds {
  const plan = inputs.map((input) => {
    const meaning = inputMeaning(input.name);
    const type = input.isTensor ? input.type : 'no tensor';
    if (meaning === undefined || (type !== 'int64' && type !== 'int32')) {
      throw inputError(
        `${path}: cannot feed its input "${input.name}" (${type}); expected int64 or int32 input_ids, attention_mask, token_type_ids.`,
      );
    }
    return { name: input.name, meaning, type };
  });
  if (!plan.some(({ meaning }) => meaning === 'ids')) {
    const names = inputs.map(({ name }) => name).join(', ');
    throw inputError(`${path}: none of its inputs (${names}) takes token ids.`);
  }
  return (ids, splits, length) => {
    const dims = [splits.length, length];
    const feeds: Record<string, Tensor> = {};
    for (const { name, meaning, type } of plan) {
      const values = meaning === 'ids' ? ids : new Int32Array(ids.length);
      if (meaning === 'mask') values.fill(1);
      if (meaning === 'types') fill(values, splits, length, (_, second) => (second ? secondSegment : 0));
      feeds[name] =
        type === 'int32' ? new Tensor('int32', values, dims) : new Tensor('int64', widened(values), dims);
    }
    return feeds;
  };
}

function fill(
  target: Int32Array,
  splits: Int32Array,
  length: number,
  value: (position: number, second: boolean) => number,
): void {
  for (let row = 0, i = 0; row < splits.length; row++) {
    for (let position = 0; position < length; position++)
      target[i++] = value(position, position >= splits[row]);
  }
}

/** Non-negative int32 → int64, written as low words: single BigInts would cost more than the model. */
function widened(values: Int32Array): BigInt64Array<ArrayBuffer> {
  const wide = new BigInt64Array(values.length);
  const words = new Int32Array(wide.buffer);
  for (let i = 0; i < values.length; i++) words[2 * i] = values[i];
  return wide;
}
