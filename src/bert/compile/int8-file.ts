import { createHash, type Hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { closing } from '../../common/closing.js';
import { type BertQeError, corruptError } from '../../common/errors.js';
import { rememberedFileHash } from '../../common/hash.js';
import {
  type CheckpointFile,
  openCheckpoint,
  type TensorToWrite,
  writeSafetensors,
} from '../checkpoint/index.js';
import type { Int8Form, Int8Matrix, Int8Operand } from '../graph/index.js';

/** The int8 form of a model, in its folder: bytes that need no calibration. */
const FILE = 'int8.safetensors';

/** The hashes of the weights that the form was made from, in a tensor of bytes. */
const OF = 'of';

/** A SHA-256 of all other tensors, in a tensor of bytes. */
const CHECKSUM = 'checksum';

/** Names of the tensors of an operand, a matrix and the order of a layer's units. */
const STEPS = ' steps';
const SMOOTHING = ' smoothing';
const SCALES = ' scales';
const ORDER = /^layer (\d+) order$/;

/** Writes the int8 form of a model into its folder; `fingerprint` are the hashes of its weights. */
export async function writeInt8Form(
  folder: string,
  { operands, matrices, orders }: Int8Form,
  fingerprint: readonly string[],
): Promise<void> {
  const tensors: StoredTensor[] = [bytesOf(OF, fingerprint.join(''))];
  const add = (name: string, values: StoredTensor['values'], ...shape: number[]) =>
    tensors.push({ name, shape, values });
  for (const [layer, order] of orders) add(`layer ${layer} order`, Float32Array.from(order), order.length);
  for (const [name, { step, zero, hasRest, smoothing }] of operands) {
    add(`${name}${STEPS}`, Float32Array.of(step, zero, hasRest ? 2 : 1), 3);
    if (smoothing) add(`${name}${SMOOTHING}`, smoothing, smoothing.length);
  }
  for (const [name, { outputs, inputs, values, scales }] of matrices) {
    add(`${name}${SCALES}`, scales, outputs);
    add(name, values, outputs, inputs);
  }
  const sum = createHash('sha256');
  for (const tensor of tensors) addTo(sum, tensor, tensor.values);
  await writeSafetensors(join(folder, FILE), [bytesOf(CHECKSUM, sum.digest('hex')), ...tensors]);
}

/** The hash of the int8 form in a model's folder; undefined where there is none, or one of other weights. */
export async function int8FormHash(
  folder: string,
  fingerprint: readonly string[],
): Promise<string | undefined> {
  const path = join(folder, FILE);
  if (!existsSync(path)) return undefined;
  return closing(openCheckpoint(path), async (file) => {
    const { values } = bytesOf(OF, fingerprint.join(''));
    if (file.tensors.has(OF) && (await file.read(OF)).join() === values.join()) {
      return await rememberedFileHash(path);
    }
    // Of other weights, unless it is damaged there.
    await checkForm(file);
    return undefined;
  });
}

/** Uses the int8 form in a model's folder. Its shapes are found to be wrong when a graph is written with it. */
export async function withInt8Form(folder: string, use: (form: Int8Form) => Promise<void>): Promise<void> {
  const form = await readInt8Form(folder);
  try {
    await use(form);
  } catch (error) {
    throw error instanceof RangeError ? damaged(join(folder, FILE), error) : error;
  }
}

export async function readInt8Form(folder: string): Promise<Int8Form> {
  return closing(openCheckpoint(join(folder, FILE)), async (file) => {
    await checkForm(file);
    const operands = new Map<string, Int8Operand>();
    const matrices = new Map<string, Int8Matrix>();
    const orders = new Map<number, Int32Array>();
    for (const { name, shape, dtype } of file.tensors.values()) {
      const [, layer] = ORDER.exec(name) ?? [];
      if (layer !== undefined) orders.set(Number(layer), Int32Array.from(await file.read(name)));
      if (name.endsWith(STEPS)) {
        const operand = name.slice(0, -STEPS.length);
        const [step, zero, bytes = 1] = await file.read(name);
        const smoothing = file.tensors.has(`${operand}${SMOOTHING}`)
          ? { smoothing: await file.read(`${operand}${SMOOTHING}`) }
          : {};
        operands.set(operand, { step, zero, hasRest: bytes === 2, ...smoothing });
      }
      if (dtype === 'int8' && name !== OF && name !== CHECKSUM) {
        const [outputs, inputs] = shape;
        const values = Int8Array.from(await file.read(name));
        matrices.set(name, { outputs, inputs, values, scales: await file.read(`${name}${SCALES}`) });
      }
    }
    const form = { operands, matrices, orders };
    if (!isSound(form)) throw damaged(file.path);
    return form;
  });
}

/** False for numbers that no form has: the checksum of a file that others made is right. */
function isSound({ operands, matrices, orders }: Int8Form): boolean {
  return (
    [...operands.values()].every(
      ({ step, zero, smoothing = [] }) =>
        isPositive(step) && Number.isInteger(zero) && smoothing.every(isPositive),
    ) &&
    [...matrices.values()].every(
      ({ outputs, scales }) =>
        scales.length === outputs && scales.every((scale) => scale >= 0 && scale < Number.POSITIVE_INFINITY),
    ) &&
    [...orders.values()].every((order) => order.toSorted().every((unit, i) => unit === i))
  );
}

function isPositive(value: number): boolean {
  return value > 0 && value < Number.POSITIVE_INFINITY;
}

/** Throws where the file is not what was written. */
async function checkForm(file: CheckpointFile): Promise<void> {
  const sum = createHash('sha256');
  for (const tensor of file.tensors.values()) {
    if (tensor.name !== CHECKSUM) addTo(sum, tensor, await file.read(tensor.name));
  }
  const { values } = bytesOf(CHECKSUM, sum.digest('hex'));
  const stored = file.tensors.has(CHECKSUM) ? await file.read(CHECKSUM) : [];
  if (stored.join() === values.join()) return;
  throw damaged(file.path);
}

/** The error of a form that cannot be used. */
function damaged(path: string, cause?: unknown): BertQeError {
  return corruptError(
    `${path}: the int8 form of the model is damaged; fetch the file again, or remove it to run without.`,
    cause,
  );
}

type StoredTensor = TensorToWrite & { readonly values: Float32Array | Int8Array };

/** Adds a tensor to a checksum; bytes are read as floats. */
function addTo(
  sum: Hash,
  { name, shape }: Pick<StoredTensor, 'name' | 'shape'>,
  values: StoredTensor['values'],
): void {
  sum.update(JSON.stringify([name, shape]));
  sum.update(Float32Array.from(values));
}

function bytesOf(name: string, hex: string): StoredTensor {
  const values = Int8Array.from(Buffer.from(hex, 'hex'));
  return { name, shape: [values.length], values };
}
