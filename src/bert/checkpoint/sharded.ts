import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { closedOnFailure } from '../../common/closing.js';
import { corruptError, inputError } from '../../common/errors.js';
import { throwReadFailure } from '../../common/io-errors.js';
import { isJsonObject } from '../../common/json.js';
import { duplicateKey, parseJsonObject } from '../json.js';
import { type CheckpointFile, checkpointOf, type TensorInfo } from './checkpoint-file.js';

/**
 * Opens a checkpoint split over several files by its index (`model.safetensors.index.json`,
 * `pytorch_model.bin.index.json`): a map from tensor name to file. Index and files must agree exactly.
 */
export async function openSharded(
  indexPath: string,
  format: CheckpointFile['format'],
  openShard: (path: string) => Promise<CheckpointFile>,
): Promise<CheckpointFile> {
  const shardOf = await readWeightMap(indexPath);
  const shards = new Map<string, CheckpointFile>();
  const close = async (): Promise<void> => {
    await Promise.all([...shards.values()].map((shard) => shard.close()));
  };
  return closedOnFailure({ close }, async () => {
    for (const shard of new Set(shardOf.values())) {
      shards.set(shard, await openShard(join(dirname(indexPath), shard)));
    }
    const tensors = merge(indexPath, shardOf, shards);
    return checkpointOf(format, indexPath, tensors, ({ shard, name }) => shard.read(name), close);
  });
}

async function readWeightMap(indexPath: string): Promise<Map<string, string>> {
  const text = await readFile(indexPath, 'utf8').catch(throwReadFailure(indexPath));
  const index = parseJsonObject(text, indexPath);
  const twice = duplicateKey(text);
  if (twice !== undefined) throw corruptError(`${indexPath}: states "${twice}" twice`);
  const map = index['weight_map'];
  if (!isJsonObject(map) || Object.keys(map).length === 0) {
    throw inputError(`${indexPath}: expected "weight_map" from tensor names to file names`);
  }
  const shardOf = new Map<string, string>();
  for (const [name, shard] of Object.entries(map)) {
    // Only files beside the index: a downloaded file must not reach into other folders.
    if (typeof shard !== 'string' || !/^[\w.-]+$/.test(shard) || /^\.+$/.test(shard)) {
      const text = `maps "${name}" to ${JSON.stringify(shard)}, expected the name of a file beside it`;
      throw inputError(`${indexPath}: ${text}`);
    }
    shardOf.set(name, shard);
  }
  return shardOf;
}

interface ShardedTensor extends TensorInfo {
  readonly shard: CheckpointFile;
}

function merge(
  indexPath: string,
  shardOf: ReadonlyMap<string, string>,
  shards: ReadonlyMap<string, CheckpointFile>,
): Map<string, ShardedTensor> {
  const tensors = new Map<string, ShardedTensor>();
  const problems: string[] = [];
  for (const [fileName, shard] of shards) {
    for (const info of shard.tensors.values()) {
      if (shardOf.get(info.name) === fileName) tensors.set(info.name, { ...info, shard });
      else problems.push(`"${info.name}" in ${fileName} is not in the index`);
    }
  }
  for (const [name, fileName] of shardOf) {
    if (!tensors.has(name)) problems.push(`"${name}" is not in ${fileName}`);
  }
  if (problems.length === 0) return tensors;
  throw corruptError(`${indexPath}: does not match its files: ${problems.join('; ')}`);
}
