// node --import tsx bench/serving/transformers-js-server.ts MODEL MODELS_FOLDER
// The simplest server: Transformers.js as in its documentation, behind node:http. A request is a batch.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { root } from './workload.js';

interface TransformersJs {
  readonly env: { allowRemoteModels: boolean; localModelPath: string };
  readonly AutoTokenizer: { from_pretrained(name: string): Promise<Tokenize> };
  readonly AutoModelForSequenceClassification: {
    from_pretrained(name: string, options: { dtype: string }): Promise<Run>;
  };
}
type Tokenize = (texts: string[], options: object) => object;
type Run = (inputs: object) => Promise<{ logits: { tolist(): number[][] } }>;

const [model, folder] = process.argv.slice(2);
const library = resolve(
  root,
  'bench/peers/node_modules/@huggingface/transformers/dist/transformers.node.mjs',
);
const { env, AutoTokenizer, AutoModelForSequenceClassification } = (await import(library)) as TransformersJs;
env.allowRemoteModels = false;
env.localModelPath = folder;
const tokenize = await AutoTokenizer.from_pretrained(model);
const run = await AutoModelForSequenceClassification.from_pretrained(model, { dtype: 'fp32' });

async function rerank(query: string, texts: string[]): Promise<{ index: number; score: number }[]> {
  const inputs = tokenize(
    texts.map(() => query),
    { text_pair: texts, padding: true, truncation: true, max_length: 384 },
  );
  const { logits } = await run(inputs);
  return logits
    .tolist()
    .map(([other, relevant], index) => ({ index, score: 1 / (1 + Math.exp(other - relevant)) }))
    .sort((a, b) => b.score - a.score);
}

const server = createServer((asked, answer) => {
  const chunks: Buffer[] = [];
  asked.on('data', (chunk: Buffer) => chunks.push(chunk));
  asked.on('end', () => {
    const { query, texts } = JSON.parse(Buffer.concat(chunks).toString()) as {
      query: string;
      texts: string[];
    };
    void rerank(query, texts).then((ranking) => {
      answer.writeHead(200, { 'Content-Type': 'application/json' });
      answer.end(JSON.stringify(ranking));
    });
  });
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
