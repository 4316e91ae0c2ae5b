import { describe, expect, it } from 'vitest';
import { defineBertQE, type GenkitLike } from '../../src/adapters/genkit.js';
import { FakeReranker, texts } from './fake-reranker.js';

type Define = GenkitLike<string>['defineReranker'];

/** Stands for Genkit: the real one is in tests/frameworks. */
class Registry implements GenkitLike<string> {
  defined: Parameters<Define>[] = [];

  defineReranker(...args: Parameters<Define>): string {
    this.defined.push(args);
    return 'action';
  }
}

function document(text: string) {
  return { text, toJSON: () => ({ content: [{ text }], metadata: { source: text.length } }) };
}

describe('the Genkit reranker', () => {
  it('registers itself under its variant, and gives documents back with their score', async () => {
    const registry = new Registry();
    const { name, action } = defineBertQE(registry, { reranker: new FakeReranker() });
    expect([name, action]).toEqual(['bert-qe/SST', 'action']);
    const [[options, runner]] = registry.defined;
    expect(options.name).toBe('bert-qe/SST');
    const { documents } = await runner(document('bridge wind'), texts.map(document), { k: 2 });
    expect(documents).toEqual([
      { content: [{ text: texts[1] }], metadata: { source: texts[1].length, score: 1 } },
      { content: [{ text: texts[2] }], metadata: { source: texts[2].length, score: 0.5 } },
    ]);
  });
});
