import { parseVariant, type Variant, type BertQEOptions, type FeedbackMethod } from '../expansion/index.js';
import { parseFirstStage, type FirstStage } from './file/first-stage-name.js';
import type { AblationName, ExperimentFile } from './file/schema.js';

/** Something that ranks documents: a row of a table or a point of a figure. */
export interface System {
  /** As tables name it. */
  readonly name: string;
  /** As files name it. */
  readonly id: string;
}

export interface FirstStageSystem extends System {
  readonly firstStage: FirstStage;
}

/** Everything of the method but α and β. */
export type MethodSettings = FeedbackMethod & Required<Pick<BertQEOptions, 'chunkSource' | 'expansion'>>;

/** A re-ranker on top of the initial ranking. */
export interface Reranker extends System {
  readonly variant: Variant;
  readonly method: MethodSettings;
  /** α where it is not tuned: 1 without rel(q,d), 0 for MaxP. */
  readonly fixedAlpha?: number;
}

/** A point of the kc × m study. */
export interface GridPoint extends Reranker {
  readonly kc: number;
  readonly chunkWords: number;
}

/** All systems of an experiment. */
export interface Systems {
  /** The first stage that is re-ranked; undefined where a run is given. */
  readonly initial: FirstStageSystem | undefined;
  /** First stages and MaxP re-rankers, in the order of the file. */
  readonly baselines: readonly (FirstStageSystem | Reranker)[];
  readonly variants: readonly Reranker[];
  readonly ablations: { readonly of: Reranker; readonly systems: readonly Reranker[] } | undefined;
  readonly grid: { readonly of: Variant; readonly points: readonly GridPoint[] } | undefined;
  /** Names of those that the others are tested against. */
  readonly against: readonly string[];
}

/** What a model of a variant's phase three alone goes by. */
export function phaseThreeOf({ name }: Variant): string {
  return `${name}-phase3`;
}

export function isReranker(system: FirstStageSystem | Reranker): system is Reranker {
  return 'variant' in system;
}

/** Turns the file's lists of names into systems. */
export function systemsOf(experiment: ExperimentFile): Systems {
  const settings: MethodSettings = {
    ...experiment.method,
    depth: experiment.depth,
    chunkSource: 'best-passage',
    expansion: true,
  };
  const reranker = (variant: Variant, changed: Partial<MethodSettings> = {}): Reranker => ({
    name: variant.name,
    id: variant.name,
    variant,
    method: { ...settings, ...changed },
  });
  const maxP = (variant: Variant): Reranker => ({
    ...reranker(variant, { expansion: false }),
    fixedAlpha: 0,
  });
  const variants = unique(experiment.variants.map((name) => reranker(parseVariant(name))));
  const resolve = (name: string): readonly (FirstStageSystem | Reranker)[] => {
    const firstStage = parseFirstStage(name);
    if (firstStage) return [{ name: firstStage.name, id: firstStage.name, firstStage }];
    if (name.toLowerCase() !== 'maxp') return [maxP(parseVariant(name))];
    return variants.map(({ variant }) => maxP(parseVariant(variant.phaseOne)));
  };
  const against = unique(
    (experiment.significance.against ?? [variants[0].variant.phaseOne]).flatMap(resolve),
  );
  const { ablations, grid, initial } = experiment;
  return {
    initial: typeof initial === 'string' ? (resolve(initial)[0] as FirstStageSystem) : undefined,
    // What others are tested against is in the tables, asked for or not.
    baselines: unique([...experiment.baselines.flatMap(resolve), ...against]),
    variants,
    ablations: ablations && {
      of: reranker(parseVariant(ablations.of)),
      systems: ablations.which.map((which) => ablate(reranker(parseVariant(ablations.of)), which, initial)),
    },
    grid: grid && {
      of: parseVariant(grid.of),
      points: grid.chunkWords.flatMap((chunkWords) =>
        // The largest first: the others are part of it.
        grid.kc
          .toSorted((a, b) => b - a)
          .map((kc) => {
            const whole = reranker(parseVariant(grid.of), { kc, chunkWords });
            const suffix = `kc=${kc}, m=${chunkWords}`;
            return {
              ...whole,
              kc,
              chunkWords,
              name: `${whole.name}, ${suffix}`,
              id: `${whole.id}-kc${kc}-m${chunkWords}`,
            };
          }),
      ),
    },
    against: against.map(({ name }) => name),
  };
}

/** Table 5 of the paper. */
function ablate(of: Reranker, which: AblationName, initial: ExperimentFile['initial']): Reranker {
  switch (which) {
    case 'dropQueryScore':
      // Eq. 5 without rel(q,d) is rel(C,d) alone.
      return {
        ...of,
        name: `${of.name} without rel(q,d)`,
        id: `${of.id}-without-query-score`,
        fixedAlpha: 1,
      };
    case 'chunksFromInitial':
      return {
        ...of,
        name: `${of.name}, chunks from ${typeof initial === 'string' ? initial : 'the initial ranking'}`,
        id: `${of.id}-chunks-from-initial`,
        method: { ...of.method, chunkSource: 'initial' },
      };
  }
}

function unique<T extends System>(systems: readonly T[]): T[] {
  return [...new Map(systems.map((system) => [system.id, system])).values()];
}
