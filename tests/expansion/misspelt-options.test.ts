import { describe, expect, test } from 'vitest';
import { createBertQE } from '../../src/adapters/ai-sdk.js';
import { defineBertQE } from '../../src/adapters/genkit.js';
import { BertQECompressor } from '../../src/adapters/langchain.js';
import { BertScorer } from '../../src/bert/index.js';
import { BertQE } from '../../src/expansion/index.js';
import { buildIndex } from '../../src/retrieval/index.js';
import { RerankServer } from '../../src/server/index.js';
import { FakeScorer } from './fake-scorer.js';

/** The options as JavaScript would hand them over, where no compiler looks. */
const misspelt = (options: object) => options as never;
const bertQe = new BertQE({ phaseOne: new FakeScorer(() => 0.5) });
const genkit = { defineReranker: () => undefined };
const noDocuments = (async function* () {})();

describe('a misspelt option is refused with the nearest name', () => {
  test.each<[string, () => unknown, string]>([
    ['rerank', () => bertQe.rerank('q', ['d'], misspelt({ topk: 1 })), '"topk"; did you mean topK?'],
    ['rerank, in snake case', () => bertQe.rerank('q', ['d'], misspelt({ top_k: 1 })), 'did you mean topK?'],
    ['evidence', () => bertQe.evidence('q', ['d'], misspelt({ untill: 'phaseOne' })), 'did you mean until?'],
    ['BertQE.load', () => BertQE.load(misspelt({ model: 'SST' })), 'did you mean models?'],
    ['the models of phases', () => BertQE.load({ models: misspelt({ phaseone: 'S' }) }), 'mean phaseOne?'],
    [
      'new BertQE',
      () => new BertQE({ phaseOne: new FakeScorer(() => 0.5) }, misspelt({ Alpha: 0 })),
      'mean alpha?',
    ],
    ['BertScorer.load', () => BertScorer.load(misspelt({ model: 'T', thread: 1 })), 'did you mean threads?'],
    [
      'buildIndex',
      () => buildIndex(noDocuments, misspelt({ path: '.' })),
      'the options are folder, analyzer',
    ],
    ['RerankServer.start', () => RerankServer.start(misspelt({ models: ['T'], prot: 1 })), 'mean port?'],
    [
      'the limits of a server',
      () => RerankServer.start(misspelt({ models: ['T'], limits: { deadlineMS: 1 } })),
      'limits: there is no option "deadlineMS"; did you mean deadlineMs?',
    ],
    ['createBertQE', () => createBertQE(misspelt({ specVersion: 'v3' })), 'there is no option "specVersion"'],
    [
      'options of a provider',
      () =>
        createBertQE()('T').doRerank({
          query: 'q',
          documents: { type: 'text', values: ['d'] },
          providerOptions: { bertQe: { explian: true } },
        }),
      'providerOptions.bertQe: there is no option "explian"; did you mean explain?',
    ],
    ['defineBertQE', () => defineBertQE(genkit, misspelt({ model: 'S' })), 'did you mean models?'],
    ['BertQECompressor', () => new BertQECompressor(misspelt({ topK: 3 })), 'did you mean topN?'],
    ['its reranker', () => new BertQECompressor({ reranker: misspelt({ model: 'S' }) }), 'mean models?'],
  ])('%s', async (_, call, message) => {
    await expect((async () => call())()).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining(message),
    });
  });

  test('options that are no object are refused', async () => {
    await expect(bertQe.rerank('q', ['d'], 10 as never)).rejects.toThrow(
      'rerank: the options are an object, not 10.',
    );
  });
});
