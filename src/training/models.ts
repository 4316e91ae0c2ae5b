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
  let opened: Promise<Scorer> | undefined;
  return {
    async score(pairs, options) {
      if (pairs.length === 0) return new Float32Array(0);
      opened ??= openScorer(folder);
      return (await opened).score(pairs, options);
    },
    async close() {
      await (await opened?.catch(() => undefined))?.close();
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
