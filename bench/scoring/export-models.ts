import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { bertWeights, openCheckpoint } from '../../src/bert/checkpoint/index.js';
import { readModelConfig } from '../../src/bert/model-folder.js';
import { exportGraph } from '../../src/bert/graph/index.js';
import { writeSingleFileModel } from '../../src/bert/onnx/index.js';

/** Writes a model as Transformers.js expects it: config and tokenizer beside onnx/model.onnx, same weights; for PyTorch with these too. */
export async function exportForPeers(
  source: string,
  target: string,
  { weights: withWeights = false } = {},
): Promise<void> {
  mkdirSync(join(target, 'onnx'), { recursive: true });
  const texts = ['config.json', 'tokenizer.json', 'tokenizer_config.json'];
  for (const name of withWeights ? [...texts, 'model.safetensors'] : texts) {
    if (existsSync(join(source, name))) copyFileSync(join(source, name), join(target, name));
  }
  const checkpoint = await openCheckpoint(source);
  const weights = bertWeights(checkpoint, await readModelConfig(source));
  await writeSingleFileModel(exportGraph(weights), join(target, 'onnx/model.onnx'));
  await checkpoint.close();
}
