// The Vercel AI SDK (6 or 7), re-ranking on this machine: npm install ai bert-qe && node ai-sdk.mjs
import { rerank } from 'ai';
import { createBertQE } from 'bert-qe/ai-sdk';
import { documents, question } from './documents.mjs';

const bertQE = createBertQE();
const { ranking } = await rerank({ model: bertQE('SST'), query: question, documents, topN: 3 });
for (const { score, document } of ranking) console.log(score.toFixed(3), document);
await bertQE.close();
