import { crc32, deflateRawSync } from 'node:zlib';

/** A zip archive of deflated entries; `spoil` changes an entry's stored bytes after its checksum was taken. */
export function zipOf(
  entries: Readonly<Record<string, string | Uint8Array>>,
  spoil?: { readonly name: string; readonly content: string },
): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, text] of Object.entries(entries)) {
    const content = Buffer.from(text);
    const bytes = deflateRawSync(spoil?.name === name ? Buffer.from(spoil.content) : content);
    const sizes = Buffer.alloc(12);
    sizes.writeUInt32LE(crc32(content), 0);
    sizes.writeUInt32LE(bytes.length, 4);
    sizes.writeUInt32LE(content.length, 8);
    const nameLength = Buffer.alloc(2);
    nameLength.writeUInt16LE(Buffer.byteLength(name));
    const start = Buffer.from([20, 0, 0, 0, 8, 0, 0, 0, 0, 0]);
    const none = Buffer.alloc(2);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), start, sizes, nameLength, none]);
    const place = Buffer.alloc(4);
    place.writeUInt32LE(offset);
    const made = Buffer.from([20, 0]);
    directory.push(
      Buffer.concat([
        Buffer.from('PK\x01\x02', 'latin1'),
        made,
        start,
        sizes,
        nameLength,
        Buffer.alloc(12),
        place,
      ]),
      Buffer.from(name),
    );
    parts.push(local, Buffer.from(name), bytes);
    offset += local.length + Buffer.byteLength(name) + bytes.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 0, 'latin1');
  end.writeUInt16LE(directory.length / 2, 8);
  end.writeUInt16LE(directory.length / 2, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, central, end]);
}
