import { createHash } from 'node:crypto';
import { budgetFor, type Tokenizer } from '../bert/index.js';
import { badInput, ByteSource, linesOf, readLineBlocks } from '../collection/index.js';
import { getOrInsert } from '../common/get-or-insert.js';
import { isJsonObject } from '../common/json.js';

/** A query and candidates with the log-odds of relevance that a teacher gave them. */
export interface ScoredGroup {
  readonly query: string;
  readonly candidates: readonly { readonly text: string; readonly target: number }[];
}

/** Groups in word pieces, every text once. */
export interface ScoredGroups {
  /** The name of the file, for messages. */
  readonly label: string;
  readonly queries: readonly Int32Array[];
  readonly passages: readonly Int32Array[];
  /** Of each group, the number of its query, those of its candidates, and their targets. */
  readonly query: readonly number[];
  readonly candidates: readonly (readonly number[])[];
  readonly targets: readonly (readonly number[])[];
  /** SHA-256 of all groups. */
  readonly hash: string;
}

const example = '{"query": "…", "candidates": [{"text": "…", "target": -1.5}, …]}';

/** Reads a file of groups, a line of JSON each; it may be compressed. Empty lines are passed over. */
export async function* readGroups(file: string): AsyncGenerator<ScoredGroup> {
  const source = ByteSource.open(file);
  try {
    for await (const block of readLineBlocks(source)) {
      for (const { text, line } of linesOf(block)) {
        if (text.trim() !== '') yield groupOf(text, { file: source.name, line });
      }
    }
  } finally {
    await source.close();
  }
}

function groupOf(json: string, origin: { readonly file: string; readonly line: number }): ScoredGroup {
  const bad = (problem: string, cause?: unknown) => badInput(origin, problem, `Write ${example}.`, cause);
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw bad('the line is not JSON', error);
  }
  const { query, candidates } = isJsonObject(value) ? value : {};
  if (typeof query !== 'string' || !Array.isArray(candidates)) {
    throw bad('"query" must be a text and "candidates" a list');
  }
  return {
    query,
    candidates: candidates.map((candidate: unknown, i) => {
      const { text, target } = isJsonObject(candidate) ? candidate : {};
      if (typeof text === 'string' && typeof target === 'number' && Number.isFinite(target)) {
        return { text, target };
      }
      throw bad(`candidate ${i + 1} must have a "text" and a "target", a finite number`);
    }),
  };
}

/** The groups in word pieces, as long as sequences of `maxLength` tokens keep them. */
export async function tokenizedGroups(
  label: string,
  groups: AsyncIterable<ScoredGroup> | Iterable<ScoredGroup>,
  tokenizer: Tokenizer,
  maxLength: number,
  onProgress: (groups: number) => void,
): Promise<ScoredGroups> {
  const budget = budgetFor(maxLength, tokenizer.template);
  const queries = new PieceTable(tokenizer, budget.first);
  const passages = new PieceTable(tokenizer, budget.second);
  const [query, candidates, targets]: [number[], number[][], number[][]] = [[], [], []];
  const hash = createHash('sha256');
  for await (const group of groups) {
    query.push(queries.numberOf(group.query));
    candidates.push(group.candidates.map(({ text }) => passages.numberOf(text)));
    targets.push(group.candidates.map(({ target }) => target));
    hash.update(`${JSON.stringify([group.query, group.candidates])}\n`);
    onProgress(query.length);
  }
  const pieces = { queries: queries.pieces, passages: passages.pieces };
  return { label, ...pieces, query, candidates, targets, hash: hash.digest('hex') };
}

/** The word pieces of texts, each text once. */
class PieceTable {
  readonly pieces: Int32Array[] = [];
  readonly #numbers = new Map<string, number>();

  constructor(
    private readonly tokenizer: Tokenizer,
    private readonly most: number,
  ) {}

  numberOf(text: string): number {
    return getOrInsert(
      this.#numbers,
      text,
      () => this.pieces.push(this.tokenizer.encode(text, this.most).slice(0, this.most)) - 1,
    );
  }
}
