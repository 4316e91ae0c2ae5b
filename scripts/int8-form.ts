/**
 * Writes the int8 form of models (int8.safetensors) into their folders, beside the weights:
 *
 *   npm run --silent build && node --import tsx scripts/int8-form.ts models/small
 *
 * `precision: auto` then takes it where the processor multiplies bytes, so write it only where it is as good as fp32
 * (bench/scoring/int8.ts). It is of these weights only: where they change, write it anew.
 */
import { bertWeights, openCheckpoint } from '../src/bert/checkpoint/index.js';
import { calibratedForm, fingerprint, writeInt8Form } from '../src/bert/compile/index.js';
import { loadTokenizer, readModelConfig } from '../src/bert/model-folder.js';

for (const folder of process.argv.slice(2)) {
  const checkpoint = await openCheckpoint(folder);
  const weights = bertWeights(checkpoint, await readModelConfig(folder));
  const form = await calibratedForm(weights, await loadTokenizer(folder));
  await writeInt8Form(folder, form, await fingerprint(checkpoint));
  await checkpoint.close();
  console.log(`${folder}: ${form.matrices.size} matrices`);
}
