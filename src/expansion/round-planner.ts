import type { Candidate } from './candidate.js';
import type { FinalScore } from './final-score.js';
import { remainingChunks, type ChunkRequest } from './phase-three.js';
import type { ExpansionChunk } from './phase-two.js';

/** What a round scores. */
export interface Round {
  /** Documents that get rel(q,d), and their best passage before it. */
  readonly documents: readonly Candidate[];
  readonly chunks: readonly ChunkRequest[];
}

/** A round smaller than this is filled up: a batch that is nearly empty costs as much as a full one. */
const leastPairs = 32;

/**
 * Decides what to score next; any choice is correct, good ones are cheap. Documents that look like the first k
 * are scored completely and at once, which raises the floor for all others. Of the others each gets the fewest
 * chunks that could rule it out, the chunks that most documents score low on first: they bring the upper bound
 * down fastest.
 */
export class RoundPlanner {
  constructor(
    private readonly final: FinalScore,
    private readonly chunks: readonly ExpansionChunk[],
    private readonly k: number,
    private readonly roundPairs: number,
  ) {}

  /** Nothing to score when every contender is settled. */
  plan(contenders: readonly Candidate[], floor: number): Round {
    const byPromise = contenders
      .map((candidate) => ({ candidate, promise: this.final.of(candidate, expectation(candidate)) }))
      .sort((a, b) => b.promise - a.promise);
    const order = this.#chunkOrder(contenders);
    const documents: Candidate[] = [];
    const chunks: ChunkRequest[] = [];
    const least = Math.min(leastPairs, this.roundPairs);
    let pairs = 0;
    for (const [place, { candidate }] of byPromise.entries()) {
      // Until the first k are scored, the floor is too low to tell how little is enough for the others.
      if (place === this.k && pairs >= least) break;
      if (pairs >= this.roundPairs) break;
      if (candidate.settled) continue;
      if (candidate.queryScore === undefined) {
        documents.push(candidate);
        pairs += candidate.passages.length;
        continue;
      }
      const wanted =
        place < this.k ? remainingChunks(candidate) : this.#fewestToRuleOut(candidate, floor, order);
      chunks.push({ candidate, chunks: wanted });
      pairs += wanted.length;
    }
    return { documents, chunks: pairs < least ? fill(chunks, least - pairs) : chunks };
  }

  /** The chunks that would rule the candidate out if it scored 0 on all of them; all, where even that would not. */
  #fewestToRuleOut(candidate: Candidate, floor: number, order: readonly number[]): number[] {
    const { final } = this;
    const needed = final.combined(candidate, 1) - final.combinedToReach(floor, candidate);
    const wanted: number[] = [];
    let gained = 0;
    for (const chunk of order) {
      if (!candidate.isUnknown(chunk)) continue;
      wanted.push(chunk);
      gained += final.alpha * final.weights[chunk];
      if (gained > needed) break;
    }
    return wanted;
  }

  /** Chunks by how far they are expected to bring an upper bound down, judged by the scores seen so far. */
  #chunkOrder(contenders: readonly Candidate[]): number[] {
    const drop = this.chunks.map(({ weight }, chunk) => {
      // One imagined score of ½ stands in until there are real ones.
      let sum = 0.5;
      let seen = 1;
      for (const candidate of contenders) {
        if (candidate.isUnknown(chunk)) continue;
        sum += candidate.chunkScores[chunk];
        seen++;
      }
      return weight * (1 - sum / seen);
    });
    return drop.map((_, chunk) => chunk).sort((a, b) => drop[b] - drop[a]);
  }
}

/** What an unknown score of the candidate will probably be: the mean of those that are known. */
export function expectation({ queryScore, chunkScores }: Candidate): number {
  if (queryScore === undefined) return 0.5;
  let sum = queryScore;
  let seen = 1;
  for (const score of chunkScores) {
    if (Number.isNaN(score)) continue;
    sum += score;
    seen++;
  }
  return sum / seen;
}

/** Adds the chunks left over of the most promising documents until `missing` more pairs are there. */
function fill(requests: readonly ChunkRequest[], missing: number): ChunkRequest[] {
  return requests.map(({ candidate, chunks }) => {
    const more = remainingChunks(candidate)
      .filter((chunk) => !chunks.includes(chunk))
      .slice(0, Math.max(0, missing));
    missing -= more.length;
    return { candidate, chunks: [...chunks, ...more] };
  });
}
