// node bench/scoring/laptop/transformers-js.mjs FOLDER MODEL DTYPE: Transformers.js as a contender of run.ts.
import {
  AutoModelForSequenceClassification,
  AutoTokenizer,
  env,
} from '../../peers/node_modules/@huggingface/transformers/dist/transformers.node.mjs';
import { contend } from './contend.mjs';

const [folder, name, dtype] = process.argv.slice(2);
const BATCH = 16;

await contend(async () => {
  env.allowRemoteModels = false;
  env.localModelPath = folder;
  const tokenize = await AutoTokenizer.from_pretrained(name);
  const model = await AutoModelForSequenceClassification.from_pretrained(name, { dtype });
  return async (pairs) => {
    const margins = Array.from({ length: pairs.length });
    const order = pairs.map((_, i) => i).sort((i, j) => pairs[i].b.length - pairs[j].b.length);
    for (let from = 0; from < pairs.length; from += BATCH) {
      const places = order.slice(from, from + BATCH);
      const inputs = tokenize(
        places.map((i) => pairs[i].a),
        { text_pair: places.map((i) => pairs[i].b), padding: true, truncation: true, max_length: 384 },
      );
      const { logits } = await model(inputs);
      logits.tolist().forEach(([other, relevant], i) => (margins[places[i]] = relevant - other));
    }
    return margins;
  };
});
