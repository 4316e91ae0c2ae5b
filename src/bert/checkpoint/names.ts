import type { ModelConfig } from '../config.js';
import { elementCount } from './dtype.js';

/**
 * The head on top of the encoder: the relevance classifier; the one that predicts masked tokens, in pre-training; or none,
 * in a pre-trained model that training gives a head.
 */
export type Head = 'classifier' | 'predictions' | 'none';

/** A tensor's name in Hugging Face's checkpoints of BERT: all but those of the heads begin with `bert.`. */
export function storedName(canonical: string): string {
  return /^(?:classifier|cls)\./.test(canonical) ? canonical : `bert.${canonical}`;
}

/**
 * The tensors of a BERT cross-encoder under their canonical names, with their shapes, in file order.
 *
 * Canonical = Hugging Face's names without the `bert.` prefix. Linear weights are `[out, in]`, as there. RoBERTa's head
 * is BERT's pooler and classifier under other names.
 *
 *     embeddings.{word,position,token_type}_embeddings.weight
 *     embeddings.LayerNorm.{weight,bias}
 *     encoder.layer.N.attention.self.{query,key,value}.{weight,bias}
 *     encoder.layer.N.attention.output.{dense,LayerNorm}.{weight,bias}
 *     encoder.layer.N.intermediate.dense.{weight,bias}
 *     encoder.layer.N.output.{dense,LayerNorm}.{weight,bias}
 *     pooler.dense.{weight,bias}
 *     classifier.{weight,bias}
 *
 * With the head `predictions`, whose output weights are the word embeddings, in place of pooler and classifier:
 *
 *     cls.predictions.transform.{dense,LayerNorm}.{weight,bias}
 *     cls.predictions.bias
 */
export function bertTensorShapes(
  config: ModelConfig,
  head: Head = 'classifier',
): ReadonlyMap<string, readonly number[]> {
  const { hidden, intermediate } = config;
  const shapes = new Map<string, readonly number[]>();
  const linear = (name: string, out: number, into: number): void => {
    shapes.set(`${name}.weight`, [out, into]);
    shapes.set(`${name}.bias`, [out]);
  };
  const layerNorm = (name: string): void => {
    shapes.set(`${name}.weight`, [hidden]);
    shapes.set(`${name}.bias`, [hidden]);
  };
  shapes.set('embeddings.word_embeddings.weight', [config.vocabulary, hidden]);
  shapes.set('embeddings.position_embeddings.weight', [config.maxPositions, hidden]);
  shapes.set('embeddings.token_type_embeddings.weight', [config.typeVocabulary, hidden]);
  layerNorm('embeddings.LayerNorm');
  for (let layer = 0; layer < config.layers; layer++) {
    const prefix = `encoder.layer.${layer}`;
    for (const part of ['query', 'key', 'value']) linear(`${prefix}.attention.self.${part}`, hidden, hidden);
    linear(`${prefix}.attention.output.dense`, hidden, hidden);
    layerNorm(`${prefix}.attention.output.LayerNorm`);
    linear(`${prefix}.intermediate.dense`, intermediate, hidden);
    linear(`${prefix}.output.dense`, hidden, intermediate);
    layerNorm(`${prefix}.output.LayerNorm`);
  }
  if (head === 'predictions') {
    linear('cls.predictions.transform.dense', hidden, hidden);
    layerNorm('cls.predictions.transform.LayerNorm');
    shapes.set('cls.predictions.bias', [config.vocabulary]);
  } else if (head !== 'none') {
    linear('pooler.dense', hidden, hidden);
    linear('classifier', config.labels, hidden);
  }
  return shapes;
}

/** The number of parameters: embeddings, encoder, pooler and classifier. */
export function parameterCount(config: ModelConfig): number {
  const sizes = Array.from(bertTensorShapes(config).values(), (shape) => elementCount(shape)!);
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** The role of a stored tensor: a weight with a canonical name, known and unused, or unknown. */
type Placement = { readonly name: string; readonly transposed: boolean } | 'ignored' | 'unknown';

/** Optimiser state and counters that TensorFlow checkpoints carry beside the weights. */
const TRAINING_STATE =
  /(?:^|\/)(?:global_step|save_counter|beta[12]_power|loss_scale|good_steps)$|\/(?:adam_[mv]|Adam(?:_1)?|LAMB(?:_1)?|lamb_[mv])$/;

/** Finds the role of a stored name of either family: `a/b/kernel` is TensorFlow's, `a.b.weight` is PyTorch's. */
export function placeTensor(stored: string, head: Head): Placement {
  if (TRAINING_STATE.test(stored)) return 'ignored';
  const name = /\/|^output_(?:weights|bias)$/.test(stored) ? fromTensorFlow(stored) : stored;
  const [, family, rest] = /^(?:module\.)?(bert\.|roberta\.)?(.*)$/s.exec(name)!;
  // RoBERTa's classifier does not use its pooler.
  if (family === 'roberta.' && rest.startsWith('pooler.')) return 'ignored';
  const canonical = rest
    .replace(/^classifier\.dense\./, 'pooler.dense.')
    .replace(/^classifier\.out_proj\./, 'classifier.')
    .replace(/(LayerNorm)\.gamma$/, '$1.weight')
    .replace(/(LayerNorm)\.beta$/, '$1.bias');
  // Buffers, not weights: older Hugging Face versions saved them.
  if (/^embeddings\.(?:position_ids|token_type_ids)$/.test(canonical)) return 'ignored';
  // The decoder of masked tokens is a copy of the word embeddings and of its bias.
  if (/^(?:cls\.predictions\.decoder|cls\.seq_relationship|lm_head)\./.test(canonical)) return 'ignored';
  if (canonical.startsWith('cls.predictions.') && head !== 'predictions') return 'ignored';
  if (/^(?:pooler|classifier)\./.test(canonical) && head !== 'classifier') return 'ignored';
  if (!/^(?:embeddings|encoder|pooler|classifier|cls\.predictions)\./.test(canonical)) return 'unknown';
  return { name: canonical, transposed: stored.endsWith('/kernel') };
}

/**
 * `bert/encoder/layer_0/attention/self/query/kernel` → `bert.encoder.layer.0.attention.self.query.weight`.
 * The heads of Google's code (`output_weights`, `output_bias`) are stored `[labels, hidden]`: not transposed.
 */
function fromTensorFlow(stored: string): string {
  return stored
    .replace(/^output_weights$/, 'classifier.weight')
    .replace(/^output_bias$/, 'classifier.bias')
    .replace(/\/output_weights$/, '/weight')
    .replace(/\/output_bias$/, '/bias')
    .replace(/\/kernel$/, '/weight')
    .replace(/\/(word|position|token_type)_embeddings$/, '/$1_embeddings/weight')
    .replace(/\/layer_(\d+)\//, '/layer/$1/')
    .replaceAll('/', '.');
}
