import {
  BertScorer,
  DEFAULT_MAX_LENGTH,
  findModel,
  loadTokenizer,
  type ModelConfig,
  readCrossEncoderConfig,
  readModelConfig,
  type Scorer,
  type Tokenizer,
} from '../bert/index.js';
import { LazyScorer } from './examples/index.js';

/** A model that training starts from; its vocabulary was found to be its own. */
export interface BaseModel {
  readonly folder: string;
  readonly config: ModelConfig;
  readonly tokenizer: Tokenizer;
}

export async function readBaseModel(name: string): Promise<BaseModel> {
  const folder = await findModel(name);
  return { folder, config: await readModelConfig(folder), tokenizer: await loadTokenizer(folder) };
}

/** A model that scores pairs, loaded when first asked. */
export function scorerOf(folder: string): Scorer {
  return new LazyScorer(async () => {
    const { maxPositions } = await readCrossEncoderConfig(folder);
    return BertScorer.load({
      model: folder,
      device: 'cpu',
      maxLength: Math.min(DEFAULT_MAX_LENGTH, maxPositions),
    });
  });
}
