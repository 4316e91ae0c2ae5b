import { paperCost } from '../expansion/index.js';
import type { Reranker } from './systems.js';

/**
 * Work that a query of each system stands for, in FLOPs as the paper counts them, less what an earlier system in the
 * list has done already: for telling the time left, not for accounting.
 */
export function workPerQuery(systems: readonly Reranker[]): Map<string, number> {
  const firstRounds = new Set<string>();
  const chunksDone = new Map<string, number>();
  return new Map(
    systems.map(({ id, variant, method }) => {
      const { phaseOne, phaseTwo, phaseThree } = paperCost(variant, method);
      let work = 0;
      if (!firstRounds.has(variant.phaseOne)) work += phaseOne.flops;
      firstRounds.add(variant.phaseOne);
      if (phaseTwo && phaseThree) {
        const chunks = `${variant.name} ${method.chunkWords} ${method.chunkSource}`;
        const before = chunksDone.get(chunks) ?? 0;
        if (before === 0) work += phaseTwo.flops;
        work += (phaseThree.flops * Math.max(0, method.kc - before)) / method.kc;
        chunksDone.set(chunks, Math.max(before, method.kc));
      }
      // Even what is stored has to be fetched.
      return [id, work + phaseOne.flops / 1000];
    }),
  );
}
