/** Builds PyTorch files by hand, so that tests can forge what the library would never write. */

export interface TensorParts {
  readonly shape: readonly number[];
  readonly strides: readonly number[];
  readonly offset?: number;
  /** The pickle's description of the storage. */
  readonly elements?: number;
  readonly key?: string;
}

/** Pickle code that leaves a tensor on the stack, as `_rebuild_tensor_v2` describes one. */
export function tensor({ shape, strides, offset = 0, elements = 4, key = '0' }: TensorParts): Buffer {
  const storage = tuple([
    text('storage'),
    op('ctorch\nFloatStorage\n'),
    text(key),
    text('cpu'),
    int(elements),
  ]);
  const hooks = op('ccollections\nOrderedDict\n)R');
  const args = [
    storage,
    op('Q'),
    int(offset),
    tuple(shape.map(int)),
    tuple(strides.map(int)),
    op('\x89'),
    hooks,
  ];
  return Buffer.concat([op('ctorch._utils\n_rebuild_tensor_v2\n('), ...args, op('tR')]);
}

export function dict(items: Readonly<Record<string, Buffer>>): Buffer {
  const pairs = Object.entries(items).flatMap(([name, value]) => [text(name), value]);
  return Buffer.concat([op('}('), ...pairs, op('u')]);
}

export function pickle(code: Buffer): Buffer {
  return Buffer.concat([op('\x80\x02'), code, op('.')]);
}

/** A zip archive without compression; `overlap` points every entry at the first one's header. */
export function storedZip(
  files: Readonly<Record<string, Buffer>>,
  options: { overlap?: boolean } = {},
): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, data] of Object.entries(files)) {
    const label = Buffer.from(name);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt32LE(data.length, 18);
    local.writeUInt32LE(data.length, 22);
    local.writeUInt16LE(label.length, 26);
    const central = Buffer.alloc(46);
    central.writeUInt32LE(0x02014b50, 0);
    central.writeUInt32LE(data.length, 20);
    central.writeUInt32LE(data.length, 24);
    central.writeUInt16LE(label.length, 28);
    central.writeUInt32LE(options.overlap ? 0 : offset, 42);
    parts.push(local, label, data);
    directory.push(central, label);
    offset += 30 + label.length + data.length;
  }
  const listing = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(directory.length / 2, 8);
  end.writeUInt16LE(directory.length / 2, 10);
  end.writeUInt32LE(listing.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, listing, end]);
}

function op(code: string): Buffer {
  return Buffer.from(code, 'latin1');
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return Buffer.concat([op('X'), length, bytes]);
}

function int(value: number): Buffer {
  const bytes = Buffer.alloc(5);
  bytes.write('J', 'latin1');
  bytes.writeInt32LE(value, 1);
  return bytes;
}

function tuple(items: readonly Buffer[]): Buffer {
  return Buffer.concat([op('('), ...items, op('t')]);
}
