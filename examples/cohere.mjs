// Cohere's own client against a server of yours: npm install cohere-ai && node cohere.mjs
// Start the server first: npx bert-qe serve
import { CohereClientV2 } from 'cohere-ai';
import { documents, question } from './documents.mjs';

const environment = process.env.BERT_QE_URL ?? 'http://127.0.0.1:8080';
const cohere = new CohereClientV2({ environment, token: process.env.BERT_QE_KEY ?? 'none' });
const { results } = await cohere.rerank({ model: 'bert-qe-SST', query: question, documents, topN: 3 });
for (const { relevanceScore, index } of results) console.log(relevanceScore.toFixed(3), documents[index]);
