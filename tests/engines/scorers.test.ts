import { afterAll, describe, expect, it } from 'vitest';
import { BertScorer } from '../../src/bert/index.js';
import { cohereScorer, openInferenceScorer, teiScorer } from '../../src/remote/index.js';
import { BertQE } from '../../src/expansion/index.js';
import { scorerContract } from '../contracts/scorer.js';
import { demoTexts, startServer } from '../server/support/server.js';
import { openInferenceServer } from './support/oip-server.js';

const { url } = await startServer({ models: ['T'] });
const oip = await openInferenceServer('tiny');
afterAll(() => oip.close());

scorerContract('Our server, spoken to as TEI,', () => teiScorer({ url }));
scorerContract('Our server, spoken to as Cohere,', async () => cohereScorer({ url: `${url}/v2/rerank` }));
const openOip = () => openInferenceScorer({ url: oip.url, model: 'tiny', tokenizer: 'tiny' });
scorerContract('An Open Inference Protocol server', openOip);

describe('phases on other machines', () => {
  it('give the ranking that they give on this one', async () => {
    // Passages of up to 149 words are one to the server too, and the interfaces know no titles.
    const texts = (await demoTexts(30)).map((text) => text.split(/\s+/).slice(0, 140).join(' '));
    const local = await BertScorer.load({ model: 'T', workers: 1, threads: 1 });
    const scorers = [
      { phaseOne: local },
      { phaseOne: local, phaseTwo: await openOip(), phaseThree: await teiScorer({ url }) },
      { phaseOne: await openOip(), phaseTwo: cohereScorer({ url: `${url}/v2/rerank` }), phaseThree: local },
    ];
    const rankings = [];
    for (const phases of scorers) {
      const bertQe = new BertQE(phases);
      const { results } = await bertQe.rerank('why do bridges sway in the wind', texts);
      rankings.push(results.map(({ id, score }) => ({ id, score: Number(score.toFixed(4)) })));
    }
    expect(rankings[1]).toEqual(rankings[0]);
    expect(rankings[2]).toEqual(rankings[0]);
    await local.close();
  }, 300_000);
});
