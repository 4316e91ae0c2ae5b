// node --import tsx bench/scoring/transformers-js.ts MODEL MODELS_FOLDER PASSAGES BATCH
// Transformers.js as its documentation has it: pairs in the order in which they come, each batch tokenised, padded and run.
import { resolve } from 'node:path';
import { print, timed } from './measurement.js';
import { phaseThree, root } from './workload.js';

interface TransformersJs {
  readonly env: { allowRemoteModels: boolean; localModelPath: string };
  readonly AutoTokenizer: { from_pretrained(name: string): Promise<Tokenize> };
  readonly AutoModelForSequenceClassification: {
    from_pretrained(name: string, options: { dtype: string }): Promise<Run>;
  };
}
type Tokenize = (texts: string[], options: object) => object;
type Run = (inputs: object) => Promise<{ logits: { tolist(): number[][] } }>;

const [model, folder, count, batch] = process.argv.slice(2);
const library = resolve(
  root,
  'bench/peers/node_modules/@huggingface/transformers/dist/transformers.node.mjs',
);
const { env, AutoTokenizer, AutoModelForSequenceClassification } = (await import(library)) as TransformersJs;
env.allowRemoteModels = false;
env.localModelPath = folder;
const tokenize = await AutoTokenizer.from_pretrained(model);
const run = await AutoModelForSequenceClassification.from_pretrained(model, { dtype: 'fp32' });
const pairs = await phaseThree(Number(count));

async function score(from: number, to: number): Promise<number[]> {
  const scores: number[] = [];
  for (let i = from; i < to; i += Number(batch)) {
    const some = pairs.slice(i, Math.min(to, i + Number(batch)));
    const inputs = tokenize(
      some.map(({ a }) => a),
      { text_pair: some.map(({ b }) => b), padding: true, truncation: true, max_length: 384 },
    );
    const { logits } = await run(inputs);
    for (const [other, relevant] of logits.tolist()) scores.push(1 / (1 + Math.exp(other - relevant)));
  }
  return scores;
}

await score(0, 200);
const seconds = await timed(() => score(0, pairs.length));
print({
  system: 'transformers.js',
  model,
  precision: 'fp32',
  batch: `${batch} pairs`,
  pairs: pairs.length,
  seconds,
});
