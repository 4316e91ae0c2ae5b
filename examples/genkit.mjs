// Genkit: npm install genkit bert-qe && node genkit.mjs
import { defineBertQE } from 'bert-qe/genkit';
import { Document, genkit } from 'genkit';
import { documents, question } from './documents.mjs';

const ai = genkit({});
const bertQE = defineBertQE(ai, { models: 'SST' });
const ranked = await ai.rerank({
  reranker: bertQE.name,
  query: question,
  documents: documents.map((text) => Document.fromText(text)),
  options: { k: 3 },
});
for (const document of ranked) console.log(document.score().toFixed(3), document.text);
await bertQE.close();
