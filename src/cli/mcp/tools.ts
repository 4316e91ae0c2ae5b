import { z } from 'zod';
import { BertQeError, missingError, usageError } from '../../common/errors.js';
import { omitUndefined } from '../../common/omit-undefined.js';
import { describeIssues, misspeltField } from '../../common/schema-problems.js';
import {
  type BertQE,
  type InputDocument,
  type Reranking,
  type RerankOptions,
  withIds,
} from '../../expansion/index.js';
import * as schemas from './schemas.js';
import { explanationText, resultsText } from './texts.js';

/** The sources of the tools: the re-ranker and the documents. */
export interface ToolSources {
  /** The re-ranker, loaded on first use. */
  reranker(): Promise<BertQE>;
  /** The first stage over the index, if there is one. */
  readonly index?: {
    readonly name: string;
    search(query: string, signal: AbortSignal): Promise<readonly InputDocument[]>;
    has(id: string): Promise<boolean>;
  };
}

/** A tool, ready to be called. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  /** The answer, for programs and for readers. */
  call(input: unknown, signal: AbortSignal): Promise<{ structured: Record<string, unknown>; text: string }>;
}

/** The tools: `search` only where there is an index. */
export function toolsFor(sources: ToolSources): readonly Tool[] {
  const tools = [rerankTool(sources), explainTool(sources)];
  return sources.index ? [searchTool(sources, sources.index), ...tools] : tools;
}

function searchTool(sources: ToolSources, index: NonNullable<ToolSources['index']>): Tool {
  return defineTool({
    name: 'search',
    title: 'Search documents',
    description:
      `Searches the documents of the index ${index.name} for a question or some words, and ` +
      'returns the most relevant documents with their best passages.',
    input: schemas.searchInput,
    output: schemas.searchOutput,
    async run({ query, limit, fullText }, signal) {
      const candidates = await index.search(query, signal);
      const reranking = await explained(sources, query, candidates, { topK: limit, signal });
      const results = placesOf(reranking, candidates).map(({ place, index }) =>
        fullText ? { ...place, text: candidates[index].text } : place,
      );
      return { query, results };
    },
    text: resultsText,
  });
}

function rerankTool(sources: ToolSources): Tool {
  return defineTool({
    name: 'rerank',
    title: 'Re-rank texts',
    description:
      'Puts given texts in the order of their relevance to a query, and returns their best passages.',
    input: schemas.rerankInput,
    output: schemas.rerankOutput,
    async run({ query, documents, limit }, signal) {
      const candidates = withIds(documents);
      const reranking = await explained(sources, query, candidates, { topK: limit, signal });
      return {
        query,
        results: placesOf(reranking, candidates).map(({ place, index }) => ({ ...place, index })),
      };
    },
    text: resultsText,
  });
}

function explainTool(sources: ToolSources): Tool {
  return defineTool({
    name: 'explain',
    title: 'Explain a rank',
    description:
      'Explains why a document has its rank for a query: its scores, its ranks before and after each step, and the ' +
      'excerpts (chunks) of other documents that the query was expanded with.',
    input: schemas.explainInput,
    output: schemas.explainOutput,
    async run({ query, id, documents }, signal) {
      if (!documents && !sources.index) {
        throw usageError('There is no index here: send the documents that were re-ranked.');
      }
      const candidates = documents ? withIds(documents) : await sources.index!.search(query, signal);
      if (!candidates.some((candidate) => candidate.id === id)) throw await notRanked(sources, id, documents);
      const { alpha, beta } = (await sources.reranker()).settings;
      const { explanation } = await explained(sources, query, candidates, { signal });
      const { chunks, documents: ranked } = explanation!;
      const { ranks, passage, chunkScores, ...scores } = ranked.find((candidate) => candidate.id === id)!;
      const { initial, queryScore, expansionScore: expansion, combined, final } = scores;
      return {
        query,
        id,
        documents: ranked.length,
        ranks: { initial: ranks.initial, phaseOne: ranks.phase1, final: ranks.final },
        scores: { initial, query: queryScore, expansion, combined, final },
        alpha,
        beta,
        passage,
        chunks: chunks.map(({ text, document, weight, score }, i) => {
          return { text, document, weight, queryScore: score, documentScore: chunkScores[i] };
        }),
      };
    },
    text: explanationText,
  });
}

/** Re-ranks with an explanation, which has the best passages. */
async function explained(
  sources: ToolSources,
  query: string,
  documents: readonly InputDocument[],
  options: RerankOptions,
): Promise<Reranking> {
  const bertQe = await sources.reranker();
  return bertQe.rerank(query, documents, { ...options, explain: true });
}

/** The ranked documents as answers show them, with their indexes among the given ones. */
function placesOf({ results, explanation }: Reranking, documents: readonly InputDocument[]) {
  const byId = new Map(explanation!.documents.map((document) => [document.id, document]));
  return results.map(({ id, index, rank, relevance }) => {
    const title = omitUndefined({ title: documents[index].title });
    const { ranks, passage } = byId.get(id)!;
    const scored = { relevance: relevance ?? null, initialRank: ranks.initial, passage };
    return { index, place: { rank, id, ...title, ...scored } };
  });
}

async function notRanked(
  { index }: ToolSources,
  id: string,
  documents: schemas.GivenDocuments | undefined,
): Promise<BertQeError> {
  if (documents) {
    return usageError(`No document has the id "${id}"; without ids, it is the place from 0.`);
  }
  return (await index!.has(id))
    ? usageError(`The document "${id}" is not among those that the first stage finds for this query.`)
    : missingError(`There is no document "${id}" in the index; take an id from an answer of search.`);
}

/** Refuses long lists before a schema does, which would describe what is wrong with every element. */
function refuseLongLists(input: unknown): void {
  for (const [name, list] of Object.entries(input ?? {})) {
    if (!Array.isArray(list) || list.length <= schemas.mostDocuments) continue;
    throw usageError(`${name}: has more than ${schemas.mostDocuments} elements.`);
  }
}

interface ToolDefinition<I extends z.ZodObject, O extends z.ZodObject> extends Omit<
  Tool,
  'input' | 'output' | 'call'
> {
  readonly input: I;
  readonly output: O;
  run(input: z.output<I>, signal: AbortSignal): Promise<z.output<O>>;
  text(output: z.output<O>): string;
}

function defineTool<I extends z.ZodObject, O extends z.ZodObject>(tool: ToolDefinition<I, O>): Tool {
  return {
    ...tool,
    async call(input, signal) {
      refuseLongLists(input);
      const checked = tool.input.safeParse(input);
      if (!checked.success) {
        throw usageError(misspeltField(tool.input, input) ?? describeIssues(checked.error));
      }
      const output = await tool.run(checked.data, signal);
      return { structured: output, text: tool.text(output) };
    },
  };
}
