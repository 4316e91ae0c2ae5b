import { Lazy } from '../common/lazy.js';
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

/** The model that training starts from. */
export interface BaseModel {
  readonly folder: string;
  readonly config: ModelConfig;
  readonly tokenizer: Tokenizer;
}

/** Reads a model's configuration and tokenizer; the weights are read by the training worker. */
export async function readBaseModel(name: string): Promise<BaseModel> {
  const folder = await findModel(name);
  return { folder, config: await readModelConfig(folder), tokenizer: await loadTokenizer(folder) };
}

/** A scorer on the processor that loads its model with the first pair. Documents of one passage each need none. */
export function lazyScorer(folder: string): Scorer {
  const scorer = new Lazy(() => openScorer(folder));
  return {
    async score(pairs, options) {
      if (pairs.length === 0) return new Float32Array(0);
      return (await scorer.get()).score(pairs, options);
    },
    async close() {
      await (await scorer.take())?.close();
    },
  };
}

async function openScorer(folder: string): Promise<Scorer> {
  const { maxPositions } = await readCrossEncoderConfig(folder);
  return BertScorer.load({
    model: folder,
    device: 'cpu',
    maxLength: Math.min(DEFAULT_MAX_LENGTH, maxPositions),
  });
}
