import { paperCost } from '../expansion/index.js';
import type { RerankingSystem } from './systems.js';

export interface ExperimentProgress {
  /** The current step: a system's name, or an index. */
  readonly step: string;
  readonly done: number;
  readonly total?: number;
  /** The share of the missing model work that is done, from 0 to 1; absent before that work starts. */
  readonly share?: number;
}

/** The progress of an experiment and the signal that stops it, handed to every step. */
export class ProgressTracker {
  #doneWork = 0;

  constructor(
    readonly signal: AbortSignal | undefined,
    private readonly onProgress: ((progress: ExperimentProgress) => void) | undefined,
  ) {}

  /** The missing model work, in any unit. */
  totalWork = 0;

  update(step: string, done: number, total?: number): void {
    this.onProgress?.({
      step,
      done,
      ...(total === undefined ? {} : { total }),
      ...(this.totalWork > 0 && this.#doneWork > 0 ? { share: this.#doneWork / this.totalWork } : {}),
    });
  }

  addWork(work: number): void {
    this.#doneWork += work;
  }
}

/**
 * An estimate of each system's model work per query, by system id: FLOPs as the paper counts them, less what an
 * earlier system of the list has computed. It serves to tell the time left.
 */
export function workPerQuery(systems: readonly RerankingSystem[]): Map<string, number> {
  const scoredSizes = new Set<string>();
  const scoredChunks = new Map<string, number>();
  return new Map(
    systems.map(({ id, variant, method }) => {
      const { phaseOne, phaseTwo, phaseThree } = paperCost(variant, method);
      let work = 0;
      if (!scoredSizes.has(variant.phaseOne)) work += phaseOne.flops;
      scoredSizes.add(variant.phaseOne);
      if (phaseTwo && phaseThree) {
        const chunks = `${variant.name} ${method.chunkWords} ${method.chunkSource}`;
        const before = scoredChunks.get(chunks) ?? 0;
        if (before === 0) work += phaseTwo.flops;
        work += (phaseThree.flops * Math.max(0, method.kc - before)) / method.kc;
        scoredChunks.set(chunks, Math.max(before, method.kc));
      }
      // Reading stored scores takes a little time too.
      return [id, work + phaseOne.flops / 1000];
    }),
  );
}
