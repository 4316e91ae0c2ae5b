import { usageError } from '../common/errors.js';
import { Lazy } from '../common/lazy.js';
import {
  BertScorer,
  DEFAULT_MAX_LENGTH,
  findModel,
  loadTokenizer,
  loadVocabulary,
  type ModelConfig,
  readCrossEncoderConfig,
  readModelConfig,
  requireCuda,
  type Scorer,
  type Tokenizer,
} from '../bert/index.js';
import type { TrainingSettings } from './settings.js';

/** The model that training starts from. */
export interface BaseModel {
  /** Its folder, or what stands for a new one in messages. */
  readonly name: string;
  /** The folder of the model; of a new one, that of its tokenizer. */
  readonly folder: string;
  /** True for a model without weights. */
  readonly isNew: boolean;
  readonly config: ModelConfig;
  readonly tokenizer: Tokenizer;
}

/** Reads a model's configuration and tokenizer; the weights are read by the training worker. */
export async function readBaseModel(name: string): Promise<BaseModel> {
  const folder = await findModel(name);
  const [config, tokenizer] = [await readModelConfig(folder), await loadTokenizer(folder)];
  return { name: folder, folder, isNew: false, config, tokenizer };
}

/** The shape of a new BERT, whose weights are random. */
export interface NewModel {
  readonly layers: number;
  readonly hidden: number;
  readonly heads: number;
  /** The longest sequence in tokens (512). */
  readonly positions?: number | undefined;
  /** A folder with a tokenizer: `vocab.txt`, or `tokenizer.json`. */
  readonly vocabulary: string;
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value > 0;
}

/** The model that a training with these settings starts from, or the shape of a new one with its tokenizer. */
export async function openBaseModel(
  model: string | NewModel,
  { device, maxLength }: TrainingSettings,
): Promise<BaseModel> {
  if (device === 'cuda') await requireCuda();
  const base = await (typeof model === 'string' ? readBaseModel(model) : newModel(model));
  const { maxPositions } = base.config;
  if (maxLength <= maxPositions) return base;
  throw usageError(
    `A maximum length of ${maxLength} is not possible: ${base.name} has positions for ${maxPositions} tokens.`,
  );
}

async function newModel(model: NewModel): Promise<BaseModel> {
  const { layers, hidden, heads, positions = 512, vocabulary: folder } = model;
  if (![layers, hidden, heads, positions].every(isCount) || hidden % heads !== 0) {
    throw usageError(
      `A model of ${layers} layers, ${hidden} hidden units, ${heads} heads and ${positions} positions is not possible: ` +
        'all are whole numbers, and the heads divide the hidden units.',
    );
  }
  const tokenizer = await loadVocabulary(folder);
  const config: ModelConfig = {
    modelType: 'bert',
    layers,
    hidden,
    heads,
    intermediate: 4 * hidden,
    labels: 2,
    activation: 'gelu',
    vocabulary: tokenizer.vocabularySize,
    maxPositions: positions,
    typeVocabulary: 2,
    layerNormEps: 1e-12,
  };
  return { name: `a new model (${layers} × ${hidden})`, folder, isNew: true, config, tokenizer };
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
