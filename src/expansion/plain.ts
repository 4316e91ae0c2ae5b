import { compareTied } from './candidate.js';
import { interpolate } from './combine.js';
import type { InputDocument } from './inputs.js';
import type { Settings } from './options.js';
import { costOf } from './pair-counts.js';
import type { RerankedDocument, Reranking } from './result.js';
import type { QueryScoring } from './scoring.js';
import { isOneWindow } from './windows.js';

/** How much of the ranking is wanted, and by when. */
interface Wanted {
  readonly topK?: number;
  readonly deadline?: number;
  readonly explain?: boolean;
}

/**
 * The passages of documents whose ranking is that of rel(q,d) alone, one for each: no expansion, no initial scores, no
 * passage to choose, and every score wanted. Undefined where the phases have more to do.
 */
export function plainPassages(
  documents: readonly (string | InputDocument)[],
  { topK = documents.length, deadline, explain }: Wanted,
  { expansion, depth, passage }: Settings,
): string[] | undefined {
  const isWhole = Math.min(topK, depth) >= documents.length && deadline === undefined && !explain;
  if (expansion || !isWhole || documents.length === 0) return undefined;
  const passages: string[] = [];
  for (const document of documents) {
    const text = plainText(document);
    if (text === undefined || !isOneWindow(text, passage)) return undefined;
    passages.push(text);
  }
  return passages;
}

/** The text of a document that has nothing else that counts. */
function plainText(document: string | InputDocument): string | undefined {
  if (typeof document === 'string') return document;
  const { title, text, score } = document;
  return title === undefined && score === undefined && typeof text === 'string' ? text : undefined;
}

/** Documents, and what stands for each of them. */
export interface PlainRequest {
  readonly query: string;
  readonly documents: readonly (string | InputDocument)[];
  readonly passages: readonly string[];
}

/** The ranking by rel(q,d), as the three phases give it where there is nothing else: a short way to the same answer. */
export async function rerankPlainly(
  { query, documents, passages }: PlainRequest,
  scoring: QueryScoring,
): Promise<Reranking> {
  const started = performance.now();
  const scores = await scoring.score(
    'phaseOne',
    passages.map((passage) => ({ a: query, b: passage })),
  );
  const places = documents.map((document, index) => {
    const id = typeof document === 'string' ? String(index) : (document.id ?? String(index));
    const relevance = scores[index];
    return { index, id, rank: 0, score: interpolate(relevance, undefined, 1), relevance, certain: true };
  });
  places.sort((a, b) => b.score - a.score || compareTied(a, b));
  for (let i = 0; i < places.length; i++) places[i].rank = i + 1;
  const seconds = (performance.now() - started) / 1000;
  const exhaustive = { bestPassage: 0, phaseOne: passages.length, phaseTwo: 0, phaseThree: 0 };
  return {
    results: places satisfies RerankedDocument[],
    complete: true,
    cost: costOf(exhaustive, scoring.use, seconds),
  };
}
