import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openCheckpoint } from '../../../src/bert/checkpoint/index.js';
import { BertQeError } from '../../../src/common/errors.js';
import { fixture } from './fixture-model.js';
import { temporaryFolder } from '../scorer/mini-model.js';
import { dict, pickle, storedZip, tensor, type TensorParts } from './torch-file.js';

async function openBytes(bytes: Uint8Array): Promise<Map<string, Float32Array>> {
  const path = join(temporaryFolder(), 'pytorch_model.bin');
  await writeFile(path, bytes);
  const checkpoint = await openCheckpoint(path);
  try {
    const values = new Map<string, Float32Array>();
    for (const name of checkpoint.tensors.keys()) values.set(name, await checkpoint.read(name));
    return values;
  } finally {
    await checkpoint.close();
  }
}

/** An archive of one pickle and the storage "0" of four floats 1, 2, 3, 4. */
function archive(pickled: Buffer, storage = Buffer.from(Float32Array.of(1, 2, 3, 4).buffer)): Buffer {
  return storedZip({ 'm/data.pkl': pickled, 'm/data/0': storage, 'm/version': Buffer.from('3\n') });
}

function oneTensor(parts: TensorParts): Buffer {
  return archive(pickle(dict({ w: tensor(parts) })));
}

async function readTensor(parts: TensorParts): Promise<number[]> {
  return [...(await openBytes(oneTensor(parts))).get('w')!];
}

describe('a pickle is never executed', () => {
  test.each([
    ['os-system', 'it asks for posix.system, which is not among the names'],
    ['builtins-eval', 'it asks for builtins.eval'],
    ['new-object', 'it asks for __main__.Plain'],
    ['instance', 'it uses the opcode 0x69 (INST) at byte 1'],
    ['ordered-dict-call', 'it builds an OrderedDict from arguments'],
    ['not-tensors', 'state_dict, epoch is not a tensor: save model.state_dict() alone'],
    ['compressed', 'the zip entry "archive/data.pkl" is compressed'],
  ])('%s is refused by name', async (name, message) => {
    const failure = await openCheckpoint(fixture(`malicious/${name}.bin`)).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(BertQeError);
    expect((failure as BertQeError).message).toContain(message);
    expect((failure as BertQeError).exitCode).toBe(2);
  });

  test('an import of os.system by its other name, and what it would have done', async () => {
    const mark = join(temporaryFolder(), 'executed');
    const attack = Buffer.from('\x80\x02cos\nsystem\n(X', 'latin1');
    const command = Buffer.from(`touch ${mark}`);
    const length = Buffer.alloc(4);
    length.writeUInt32LE(command.length);
    const bytes = Buffer.concat([attack, length, command, Buffer.from('tR.', 'latin1')]);
    await expect(openBytes(archive(bytes))).rejects.toThrow(
      'refused, nothing in it was run: it asks for os.system',
    );
    expect(existsSync(mark)).toBe(false);
  });

  test.each<[string, string, string]>([
    ['an empty stack', '\x80\x02.', 'its stack runs empty'],
    ['a group never opened', '\x80\x02t.', 'closes a group that was never opened'],
    ['an unknown memo', '\x80\x02h\x05.', 'recalls memo 5'],
    ['a call of data', '\x80\x02K\x01)R.', 'it calls a value'],
    ['a call without a tuple', '\x80\x02ccollections\nOrderedDict\nK\x01R.', 'without a tuple'],
    ['a storage class called', '\x80\x02ctorch\nFloatStorage\n)R.', 'it calls torch.FloatStorage'],
    ['the state of an object', '\x80\x02ctorch\nFloatStorage\n}b.', 'sets the state of an object'],
    ['a dictionary key set twice', '\x80\x02}K\x01K\x02sK\x01K\x02s.', 'it sets "1" twice'],
    ['an item of a number', '\x80\x02K\x01K\x01K\x02s.', 'not a dictionary'],
    ['an append to a number', '\x80\x02K\x01K\x02a.', 'not a list'],
    ['a foreign persistent id', '\x80\x02K\x01Q.', 'not a storage'],
    ['a future protocol', '\x80\x09}.', 'protocol 9'],
    ['a list', '\x80\x02].', 'not a dictionary of tensors'],
    ['a name that is no text', '\x80\x04K\x01K\x02\x93.', 'not text'],
  ])('%s is refused', async (_, code, message) => {
    await expect(openBytes(archive(Buffer.from(code, 'latin1')))).rejects.toThrow(message);
  });

  test('a pickle that ends early is damaged', async () => {
    await expect(openBytes(archive(Buffer.from('\x80\x02X\xff\x00\x00\x00ab', 'latin1')))).rejects.toThrow(
      'its pickle is damaged',
    );
  });
});

describe('a tensor that does not fit its storage is refused', () => {
  test('but one that does is read, whatever its strides', async () => {
    expect(await readTensor({ shape: [2, 2], strides: [2, 1] })).toEqual([1, 2, 3, 4]);
    expect(await readTensor({ shape: [2, 2], strides: [1, 2] })).toEqual([1, 3, 2, 4]);
    expect(await readTensor({ shape: [2], strides: [2], offset: 1 })).toEqual([2, 4]);
    expect(await readTensor({ shape: [1, 2], strides: [7, 1], offset: 2 })).toEqual([3, 4]);
    expect(await readTensor({ shape: [], strides: [], offset: 3 })).toEqual([4]);
    expect(await readTensor({ shape: [0, 3], strides: [3, 1] })).toEqual([]);
  });

  test.each<[string, TensorParts, string]>([
    ['too many elements', { shape: [5], strides: [1] }, 'does not fit its storage'],
    ['a stride beyond the end', { shape: [2, 2], strides: [3, 1] }, 'does not fit its storage'],
    ['an offset beyond the end', { shape: [1], strides: [1], offset: 4 }, 'does not fit its storage'],
    ['repeated elements', { shape: [1_000_000], strides: [0] }, 'does not fit its storage'],
    ['another storage size', { shape: [2], strides: [1], elements: 5 }, 'should hold 5 elements'],
    ['a storage that is not there', { shape: [2], strides: [1], key: '9' }, 'storage 9, which is not there'],
    ['strides of another rank', { shape: [2, 2], strides: [1] }, 'in a way PyTorch does not'],
    ['a negative stride', { shape: [2], strides: [-1], offset: 1 }, 'in a way PyTorch does not'],
  ])('%s', async (_, parts, message) => {
    await expect(openBytes(oneTensor(parts))).rejects.toThrow(message);
  });
});

describe('the archive', () => {
  const good = pickle(dict({ w: tensor({ shape: [4], strides: [1] }) }));

  test('of the old format is refused with the way to convert it', async () => {
    await expect(openCheckpoint(fixture('pytorch/legacy.bin'))).rejects.toThrow(
      /old format .* torch\.save\(/,
    );
  });

  test('of a TorchScript program is refused', async () => {
    const bytes = storedZip({ 'm/data.pkl': good, 'm/code/x.py': Buffer.from('x') });
    await expect(openBytes(bytes)).rejects.toThrow('TorchScript');
  });

  test('of big-endian values is refused', async () => {
    const bytes = storedZip({ 'm/data.pkl': good, 'm/byteorder': Buffer.from('big') });
    await expect(openBytes(bytes)).rejects.toThrow('big-endian');
  });

  test('without or with two pickles is refused', async () => {
    await expect(openBytes(storedZip({ 'm/x': good }))).rejects.toThrow('found 0');
    await expect(openBytes(storedZip({ 'm/data.pkl': good, 'n/data.pkl': good }))).rejects.toThrow('found 2');
  });

  test('of another kind is refused', async () => {
    await expect(openBytes(Buffer.from('PNG image'))).rejects.toThrow(
      'neither a PyTorch zip archive nor a pickle',
    );
  });

  test('with entries in the same place is refused', async () => {
    const bytes = storedZip({ 'm/data.pkl': good, 'm/data/0': Buffer.alloc(16) }, { overlap: true });
    await expect(openBytes(bytes)).rejects.toThrow('overlap');
  });

  test('that names an entry twice is refused', async () => {
    const twice = storedZip({ 'm/data.pkl': good, 'm/data.pkk': good });
    const same = Buffer.from(twice.toString('latin1').replaceAll('data.pkk', 'data.pkl'), 'latin1');
    await expect(openBytes(same)).rejects.toThrow('holds "m/data.pkl" twice');
  });

  test('cut anywhere is refused', async () => {
    const whole = await readFile(fixture('pytorch/float32.bin'));
    for (let length = 4; length < whole.length; length += 701) {
      await expect(openBytes(whole.subarray(0, length)), `${length} bytes`).rejects.toThrow();
    }
  });
});
