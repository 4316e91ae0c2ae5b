import { documents as exampleDocuments, question } from '../../examples/documents.mjs';
import { createBertQE } from '../../src/adapters/ai-sdk.js';
import { startServer } from '../server/support/server.js';

export { startServer };
export const query: string = question;
export const documents: string[] = exampleDocuments;

/** The library's own answer to the example, which every client and framework must give. */
export async function expectedRanking(model: string): Promise<{ index: number; relevanceScore: number }[]> {
  const provider = createBertQE();
  try {
    const { ranking } = await provider(model).doRerank({
      query,
      documents: { type: 'text', values: documents },
    });
    return ranking;
  } finally {
    await provider.close();
  }
}
