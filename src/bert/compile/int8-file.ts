import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { rememberedFileHash } from '../../common/hash.js';
import { openCheckpoint, type TensorToWrite, writeSafetensors } from '../checkpoint/index.js';
import type { Int8Form, Int8Matrix, Int8Operand } from '../graph/index.js';

/** The int8 form of a model, in its folder: bytes that need no calibration. */
const FILE = 'int8.safetensors';

/** The hashes of the weights that the form was made from, in a tensor of bytes. */
const OF = 'of';

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
  const tensors: TensorToWrite[] = [bytesOf(fingerprint)];
  const add = (name: string, values: TensorToWrite['values'], ...shape: number[]) =>
    tensors.push({ name, shape, values });
  for (const [layer, order] of orders) add(`layer ${layer} order`, Float32Array.from(order), order.length);
  for (const [name, { step, zero, smoothing }] of operands) {
    add(`${name}${STEPS}`, Float32Array.of(step, zero), 2);
    if (smoothing) add(`${name}${SMOOTHING}`, smoothing, smoothing.length);
  }
  for (const [name, { outputs, inputs, values, scales }] of matrices) {
    add(`${name}${SCALES}`, scales, outputs);
    add(name, values, outputs, inputs);
  }
  await writeSafetensors(join(folder, FILE), tensors);
}

/** The hash of the int8 form in a model's folder; undefined where there is none, or one of other weights. */
export async function int8FormHash(
  folder: string,
  fingerprint: readonly string[],
): Promise<string | undefined> {
  const path = join(folder, FILE);
  if (!existsSync(path)) return undefined;
  const file = await openCheckpoint(path);
  try {
    const { values } = bytesOf(fingerprint);
    const isOfThese = file.tensors.has(OF) && (await file.read(OF)).join() === (values as Int8Array).join();
    return isOfThese ? await rememberedFileHash(path) : undefined;
  } finally {
    await file.close();
  }
}

/** Reads the int8 form in a model's folder. */
export async function readInt8Form(folder: string): Promise<Int8Form> {
  const file = await openCheckpoint(join(folder, FILE));
  try {
    const operands = new Map<string, Int8Operand>();
    const matrices = new Map<string, Int8Matrix>();
    const orders = new Map<number, Int32Array>();
    for (const { name, shape, dtype } of file.tensors.values()) {
      const [, layer] = ORDER.exec(name) ?? [];
      if (layer !== undefined) orders.set(Number(layer), Int32Array.from(await file.read(name)));
      if (name.endsWith(STEPS)) {
        const operand = name.slice(0, -STEPS.length);
        const [step, zero] = await file.read(name);
        const smoothing = file.tensors.has(`${operand}${SMOOTHING}`)
          ? { smoothing: await file.read(`${operand}${SMOOTHING}`) }
          : {};
        operands.set(operand, { step, zero, ...smoothing });
      }
      if (dtype === 'int8' && name !== OF) {
        const [outputs, inputs] = shape;
        const values = Int8Array.from(await file.read(name));
        matrices.set(name, { outputs, inputs, values, scales: await file.read(`${name}${SCALES}`) });
      }
    }
    return { operands, matrices, orders };
  } finally {
    await file.close();
  }
}

function bytesOf(fingerprint: readonly string[]): TensorToWrite {
  const values = Int8Array.from(Buffer.from(fingerprint.join(''), 'hex'));
  return { name: OF, shape: [values.length], values };
}
