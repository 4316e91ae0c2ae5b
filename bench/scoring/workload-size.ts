import { loadTokenizer, readModelConfig } from '../../src/bert/model-folder.js';
import { findModel } from '../../src/bert/models.js';
import { budgetFor, DEFAULT_MAX_LENGTH, sequenceLength } from '../../src/bert/sequence.js';
import type { TextPair } from '../../src/bert/types.js';
import { usefulFlops } from './flops.js';

/** Tokens of all pairs without padding, and the operations their scores need. */
export async function workloadSize(
  model: string,
  pairs: readonly TextPair[],
): Promise<{ tokens: number; flops: number }> {
  const folder = await findModel(model);
  const [config, tokenizer] = [await readModelConfig(folder), await loadTokenizer(folder)];
  const budget = budgetFor(DEFAULT_MAX_LENGTH, tokenizer.template);
  const pieces = new Map<string, Int32Array>();
  const encode = (text: string) => {
    const known = pieces.get(text) ?? tokenizer.encode(text);
    pieces.set(text, known);
    return known;
  };
  let tokens = 0;
  let flops = 0;
  for (const { a, b } of pairs) {
    const [first, second] = [encode(a).subarray(0, budget.first), encode(b).subarray(0, budget.second)];
    const length = sequenceLength(tokenizer.template, first, second);
    tokens += length;
    flops += usefulFlops(config, length);
  }
  return { tokens, flops };
}
