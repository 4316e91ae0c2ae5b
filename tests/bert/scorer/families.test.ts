import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bertTensorShapes, writeSafetensors } from '../../../src/bert/checkpoint/index.js';
import { convertModel } from '../../../src/bert/manage/convert.js';
import { BertScorer } from '../../../src/bert/scorer/bert-scorer.js';
import { seededWeights } from '../graph/seeded-model.js';
import { changeConfig, emptyModel, miniConfig, miniModel, temporaryFolder } from './mini-model.js';

const pairs = ['abc', 'some longer words', ''].map((a) => ({ a, b: 'other text' }));

async function logits(model: string): Promise<number[]> {
  const scorer = await BertScorer.load({ model, maxLength: 32, workers: 1 });
  try {
    return [...(await scorer.scoreLogits(pairs)).values];
  } finally {
    await scorer.close();
  }
}

/** The name of a tensor in a RoBERTa. */
function robertaName(name: string): string {
  if (name.startsWith('pooler.dense.')) return name.replace('pooler.dense', 'classifier.dense');
  return name.startsWith('classifier.')
    ? name.replace('classifier', 'classifier.out_proj')
    : `roberta.${name}`;
}

/** The mini model as an XLM-RoBERTa: other names, positions from the third row on, a pooler that is not used. */
async function miniRoberta(): Promise<string> {
  const folder = emptyModel();
  const { hidden, maxPositions } = miniConfig;
  const weights = seededWeights(miniConfig);
  const tensors = [...bertTensorShapes(miniConfig)].map(([name, shape]) => {
    const isTable = name === 'embeddings.position_embeddings.weight';
    return {
      name: robertaName(name),
      shape: isTable ? [maxPositions + 2, hidden] : shape,
      values: async () => {
        const values = await weights.get(name);
        return isTable ? Float32Array.of(...new Float32Array(2 * hidden).fill(9), ...values) : values;
      },
    };
  });
  const unused = { name: 'roberta.pooler.dense.bias', shape: [hidden] };
  tensors.push({ ...unused, values: async () => new Float32Array(hidden).fill(7) });
  await writeSafetensors(join(folder, 'model.safetensors'), tensors);
  changeConfig(folder, {
    model_type: 'xlm-roberta',
    max_position_embeddings: maxPositions + 2,
    pad_token_id: 1,
  });
  return folder;
}

it('the weights of a RoBERTa give the scores of the same BERT, and are converted to it', async () => {
  const expected = await logits(await miniModel());
  const roberta = await miniRoberta();
  expect(await logits(roberta)).toEqual(expected);
  const converted = join(temporaryFolder(), 'converted');
  await convertModel(roberta, converted);
  expect(await logits(converted)).toEqual(expected);
});
