import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openCheckpoint } from '../../../src/bert/checkpoint/index.js';
import { maskedCrc32c } from '../../../src/bert/checkpoint/crc32c.js';
import { fixture } from './fixture-model.js';
import { temporaryFolder } from '../scorer/mini-model.js';

/** Opens these bytes under this name; nothing may be left open when it fails. */
async function open(name: string, bytes: Uint8Array | string): Promise<void> {
  const path = join(temporaryFolder(), name);
  await writeFile(path, bytes);
  const checkpoint = await openCheckpoint(path);
  await checkpoint.close();
}

function safetensors(header: string | object, data = 0): Buffer {
  const json = Buffer.from(typeof header === 'string' ? header : JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(json.length));
  return Buffer.concat([length, json, Buffer.alloc(data)]);
}

function entry(shape: number[], offsets: number[], dtype = 'F32'): object {
  return { dtype, shape, data_offsets: offsets };
}

describe('a file that is not what its name says is refused', () => {
  test('0 bytes', async () => {
    await expect(open('model.safetensors', '')).rejects.toThrow('the file is empty (0 bytes)');
    await expect(open('pytorch_model.bin', '')).rejects.toThrow('the file is empty (0 bytes)');
    await expect(open('model.ckpt.index', '')).rejects.toThrow('the file is empty (0 bytes)');
  });

  test('a Git LFS pointer', async () => {
    const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n';
    await expect(open('model.safetensors', pointer)).rejects.toThrow('run "git lfs pull"');
  });

  test('a web page', async () => {
    await expect(open('model.safetensors', '<!DOCTYPE html><html>')).rejects.toThrow('a web page instead');
  });
});

describe('a safetensors header that lies is refused', () => {
  test.each<[string, Buffer, string]>([
    ['too short', Buffer.from('1234'), 'only 4 bytes'],
    ['header beyond the limit', Buffer.from('ffffffffffffffff', 'hex'), 'claims a header of'],
    [
      'header beyond the file',
      Buffer.concat([safetensors('{}').subarray(0, 8), Buffer.from('{')]),
      'truncated',
    ],
    ['not JSON', safetensors('{"a":'), 'not JSON'],
    ['no tensors', safetensors({ __metadata__: {} }), 'it holds no tensors'],
    [
      'duplicate key',
      safetensors('{"a":{"dtype":"F32","shape":[],"data_offsets":[0,4]},"a":1}', 4),
      '"a" twice',
    ],
    [
      'duplicate key in disguise',
      safetensors('{"a":{"dtype":"F32","shape":[],"data_offsets":[0,4]},"\\u0061":1}', 4),
      '"a" twice',
    ],
    ['truncated data', safetensors({ a: entry([2], [0, 8]) }, 7), '"a" should lie at bytes'],
    ['trailing bytes', safetensors({ a: entry([2], [0, 8]) }, 9), 'account for'],
    ['overlap', safetensors({ a: entry([2], [0, 8]), b: entry([2], [4, 12]) }, 12), '"a" and "b" overlap'],
    ['hole', safetensors({ a: entry([1], [0, 4]), b: entry([1], [8, 12]) }, 12), 'account for'],
    ['negative offset', safetensors({ a: entry([1], [-4, 0]) }), 'data_offsets [-4,0]'],
    ['reversed offsets', safetensors({ a: entry([1], [4, 0]) }, 4), 'data_offsets [4,0]'],
    ['shape and bytes disagree', safetensors({ a: entry([3], [0, 8]) }, 8), 'cannot take 8 bytes'],
    ['shape overflow', safetensors({ a: entry([2 ** 31, 2 ** 31], [0, 4]) }, 4), 'cannot take 4 bytes'],
    ['negative shape', safetensors({ a: entry([-1, -1], [0, 4]) }, 4), 'cannot take 4 bytes'],
    ['fractional shape', safetensors({ a: entry([0.5, 2], [0, 4]) }, 4), 'has shape [0.5,2]'],
    ['unknown dtype', safetensors({ a: entry([1], [0, 1], 'F8_E4M3') }, 1), 'dtype "F8_E4M3"'],
    ['prototype dtype', safetensors({ a: entry([1], [0, 1], 'toString') }, 1), 'dtype "toString"'],
    ['entry not an object', safetensors({ a: 3 }), 'is not an object'],
  ])('%s', async (_, bytes, message) => {
    await expect(open('model.safetensors', bytes)).rejects.toThrow(message);
  });

  test('every truncation of a real file', async () => {
    const whole = await readFile(fixture('safetensors/float32.safetensors'));
    for (let length = 0; length < whole.length; length += 409) {
      await expect(open('model.safetensors', whole.subarray(0, length)), `${length} bytes`).rejects.toThrow();
    }
  });
});

async function openIndex(index: object | string): Promise<void> {
  const folder = temporaryFolder();
  await writeFile(join(folder, 'a.safetensors'), safetensors({ a: entry([1], [0, 4]) }, 4));
  const text = typeof index === 'string' ? index : JSON.stringify(index);
  await writeFile(join(folder, 'model.safetensors.index.json'), text);
  await (await openCheckpoint(folder)).close();
}

describe('an index of shards that does not match its files is refused', () => {
  test.each<[string, object | string, string]>([
    ['no map', {}, 'expected "weight_map"'],
    ['path outside the folder', { weight_map: { a: '../a.safetensors' } }, 'the name of a file beside it'],
    ['the folder itself', { weight_map: { a: '..' } }, 'the name of a file beside it'],
    ['missing shard', { weight_map: { a: 'b.safetensors' } }, 'b.safetensors: there is no such file'],
    [
      'missing tensor',
      { weight_map: { a: 'a.safetensors', b: 'a.safetensors' } },
      '"b" is not in a.safetensors',
    ],
    ['extra tensor', { weight_map: { b: 'a.safetensors' } }, '"a" in a.safetensors is not in the index'],
    ['duplicate key', '{"weight_map":{"a":"a.safetensors","a":"a.safetensors"}}', 'states "a" twice'],
  ])('%s', async (_, index, message) => {
    await expect(openIndex(index)).rejects.toThrow(message);
  });

  test('and a good one is opened', async () => {
    await openIndex({ weight_map: { a: 'a.safetensors' } });
  });
});

describe('a TensorFlow checkpoint with wrong bytes is refused', () => {
  const prefix = 'tensorflow/bert_model.ckpt';

  async function openChanged(change: {
    index?: (b: Buffer) => Buffer;
    data?: (b: Buffer) => Buffer;
  }): Promise<void> {
    const folder = temporaryFolder();
    const index = await readFile(fixture(`${prefix}.index`));
    const data = await readFile(fixture(`${prefix}.data-00000-of-00001`));
    await writeFile(join(folder, 'm.index'), change.index?.(index) ?? index);
    await writeFile(join(folder, 'm.data-00000-of-00001'), change.data?.(data) ?? data);
    const checkpoint = await openCheckpoint(join(folder, 'm'));
    try {
      for (const name of checkpoint.tensors.keys()) await checkpoint.read(name);
    } finally {
      await checkpoint.close();
    }
  }

  test('in the index', async () => {
    await expect(openChanged({ index: flip(100) })).rejects.toThrow(
      'checksum of the block at byte 0 is wrong',
    );
    await expect(openChanged({ index: (b) => flip(b.length - 1)(b) })).rejects.toThrow(
      'last bytes are wrong',
    );
    await expect(openChanged({ index: (b) => b.subarray(0, 40) })).rejects.toThrow('too short');
    await expect(openChanged({ index: (b) => b.subarray(500) })).rejects.toThrow();
  });

  test('in the values', async () => {
    await expect(openChanged({ data: flip(0) })).rejects.toThrow(/the checksum of ".*" is wrong/);
  });

  test('cut short', async () => {
    await expect(openChanged({ data: (b) => b.subarray(0, b.length - 1) })).rejects.toThrow('(truncated?)');
  });

  test('compressed blocks', async () => {
    await expect(openChanged({ index: compressed })).rejects.toThrow('its blocks are compressed (Snappy)');
  });

  test('an object checkpoint of TensorFlow 2', async () => {
    await expect(openCheckpoint(fixture('tensorflow-objects/model'))).rejects.toThrow('object checkpoint');
  });

  test('a missing data file', async () => {
    const folder = temporaryFolder();
    await writeFile(join(folder, 'm.index'), await readFile(fixture(`${prefix}.index`)));
    await expect(openCheckpoint(folder)).rejects.toThrow('m.data-00000-of-00001: there is no such file');
  });
});

/** The first block ends where its stored checksum fits. */
function firstBlockLength(bytes: Buffer): number {
  for (let length = 1; length + 5 < bytes.length; length++) {
    if (bytes[length] !== 0) continue;
    if (bytes.readUInt32LE(length + 1) === maskedCrc32c(bytes.subarray(0, length + 1))) return length;
  }
  throw new Error('no block found');
}

/** The first data block with the type byte that means Snappy, and a checksum that agrees. */
function compressed(bytes: Buffer): Buffer {
  const length = firstBlockLength(bytes);
  bytes[length] = 1;
  bytes.writeUInt32LE(maskedCrc32c(bytes.subarray(0, length + 1)), length + 1);
  return bytes;
}

function flip(at: number): (bytes: Buffer) => Buffer {
  return (bytes) => {
    bytes[at] ^= 1;
    return bytes;
  };
}
