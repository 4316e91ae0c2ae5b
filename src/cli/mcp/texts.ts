import type { ExplainOutput, RerankOutput, SearchOutput } from './schemas.js';

/** Results as a numbered list. */
export function resultsText({ query, results }: SearchOutput | RerankOutput): string {
  if (results.length === 0) return `Nothing was found for "${query}"; try other words.`;
  return results
    .map((result) => {
      const { rank, id, title, relevance, passage } = result;
      const name = title === undefined || title === '' ? id : `${title} [${id}]`;
      const head = `${rank}. ${name} (relevance ${fraction(relevance)})`;
      const body = ('text' in result ? result.text : undefined) ?? passage;
      return body === null ? head : `${head}\n${body}`;
    })
    .join('\n\n');
}

/** The ranks, scores and chunks of one document. */
export function explanationText(explained: ExplainOutput): string {
  const { query, id, documents, ranks, scores, alpha, beta, passage, chunks } = explained;
  const lines = [
    `${id} has rank ${ranks.final} of ${documents} for "${query}". ` +
      `It had rank ${ranks.initial} before re-ranking and rank ${ranks.phaseOne ?? '?'} by the query alone.`,
    '',
    `Relevance to the query, rel(q,d): ${fraction(scores.query)}`,
  ];
  if (chunks.length > 0) {
    lines.push(
      `Relevance to the chunks, rel(C,d): ${fraction(scores.expansion)}`,
      `Together, M = ${round(1 - alpha)}·rel(q,d) + ${round(alpha)}·rel(C,d): ${fraction(scores.combined)}`,
    );
  }
  lines.push(
    scores.initial === null
      ? `Final score, ln M: ${scores.final.toFixed(3)}`
      : `Final score, ${round(beta)}·ln M + ${round(1 - beta)}·I with the first stage's I = ${scores.initial.toFixed(3)}: ${scores.final.toFixed(3)}`,
  );
  if (passage !== null) lines.push('', `Best passage: ${passage}`);
  if (chunks.length > 0) {
    lines.push(
      '',
      'The chunks that the query was expanded with (weight; relevance to the query, of this document to the chunk):',
      ...chunks.map(
        ({ text, document, weight, queryScore, documentScore }) =>
          `- ${fraction(weight)}; ${fraction(queryScore)}, ${fraction(documentScore)}; from ${document}: ${text}`,
      ),
    );
  }
  return lines.join('\n');
}

function fraction(value: number | null): string {
  return value === null ? 'unknown' : value.toFixed(3);
}

/** 0.6 instead of 0.6000000000000001. */
function round(value: number): number {
  return Number(value.toFixed(6));
}
