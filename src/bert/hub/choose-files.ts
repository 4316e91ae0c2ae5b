import { TOKENIZER_SETTINGS } from '../model-folder.js';
import { missingError } from '../../common/errors.js';
import type { JsonObject } from '../../common/json.js';
import { buildObstacle, CONFIG_FILES, isBertType } from '../config.js';

export function configFile(paths: readonly string[], repository: string): string {
  const config = CONFIG_FILES.find((name) => paths.includes(name));
  if (config !== undefined) return config;
  throw missingError(`${repository}: has no config.json, so it is not a model this program can run`);
}

/**
 * The files beside the config that a model needs to run: its tokenizer and one form of its weights. Models of BERT's
 * architecture are built from a checkpoint (safetensors before PyTorch before TensorFlow); others need an ONNX export.
 * `fields` are those of the config.
 */
export function chooseFiles(paths: readonly string[], fields: JsonObject, repository: string): string[] {
  const present = new Set(paths);
  const obstacle = buildObstacle(fields);
  const readable = isBertType(fields) ? ['tokenizer.json', 'vocab.txt'] : ['tokenizer.json'];
  const usable = readable.filter((name) => present.has(name));
  if (usable.length === 0) {
    throw missingError(`${repository}: has no ${readable.join(' or ')}`);
  }
  const extras = TOKENIZER_SETTINGS.filter((name) => present.has(name));
  const weights = (obstacle === undefined ? checkpointFiles(paths) : undefined) ?? onnxFiles(paths);
  if (weights === undefined) {
    const reason =
      obstacle === undefined
        ? 'has no weights (model.safetensors, pytorch_model.bin, a TensorFlow checkpoint or onnx/model.onnx)'
        : `${obstacle}; it has none`;
    throw missingError(`${repository}: ${reason}`);
  }
  return [...usable, ...extras, ...weights];
}

function checkpointFiles(paths: readonly string[]): string[] | undefined {
  return (
    whole(paths, 'model.safetensors') ??
    sharded(paths, 'model.safetensors.index.json', /^model-\d+-of-(\d+)\.safetensors$/) ??
    whole(paths, 'pytorch_model.bin') ??
    sharded(paths, 'pytorch_model.bin.index.json', /^pytorch_model-\d+-of-(\d+)\.bin$/) ??
    tensorFlow(paths)
  );
}

function onnxFiles(paths: readonly string[]): string[] | undefined {
  const graph = ['onnx/model.onnx', 'model.onnx'].find((name) => paths.includes(name));
  if (graph === undefined) return undefined;
  // Weights beyond 2 GB are in a file beside the graph.
  return paths.filter(
    (path) => path.startsWith(graph) && /^(?:[._]data(?:_\d+)?)?$/.test(path.slice(graph.length)),
  );
}

function whole(paths: readonly string[], name: string): string[] | undefined {
  return paths.includes(name) ? [name] : undefined;
}

/** An index and its shards, if all are present; the pattern captures their number. */
function sharded(paths: readonly string[], index: string, pattern: RegExp): string[] | undefined {
  const shards = paths.filter((path) => pattern.test(path));
  const expected = shards.length === 0 ? -1 : Number(pattern.exec(shards[0])?.[1]);
  return paths.includes(index) && shards.length === expected ? [index, ...shards] : undefined;
}

function tensorFlow(paths: readonly string[]): string[] | undefined {
  const index = paths.find((path) => /^[^/]+\.index$/.test(path));
  if (index === undefined) return undefined;
  const data = `${index.slice(0, -'index'.length)}data-`;
  const belonging = paths.filter((path) => path.startsWith(data));
  return sharded([index, ...belonging], index, /\.data-\d+-of-(\d+)$/);
}
