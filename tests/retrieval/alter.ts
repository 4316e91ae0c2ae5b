import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Index } from '../../src/retrieval/index.js';
import { BlockWriter } from '../../src/retrieval/index/block-file.js';
import { manifestOf } from '../../src/retrieval/index/manifest.js';
import type { FileName } from '../../src/retrieval/index/storage.js';

/** Changes the content of a file of an index, under checksums that are right for it. */
export async function alterFile(
  folder: string,
  name: FileName,
  change: (content: Buffer, index: Index) => void,
): Promise<void> {
  const index = Index.open(folder);
  const { manifest } = index;
  const content = Buffer.alloc(index.files[name].bytes);
  index.files[name].readInto(content, 0);
  change(content, index);
  await index.close();
  const file = join(folder, manifest.data, name);
  rmSync(file);
  const writer = new BlockWriter(file);
  writer.write(content);
  const files = { ...manifest.files, [name]: writer.finish() };
  writeFileSync(join(folder, 'index.json'), JSON.stringify(manifestOf({ ...manifest, files })));
}
