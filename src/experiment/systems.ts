import type { SizeLetter } from '../bert/index.js';
import { parseVariant, type Variant, type BertQEOptions, type FeedbackMethod } from '../expansion/index.js';
import { type ControlName, type FirstStage, parseControl, parseFirstStage } from './file/system-names.js';
import type { AblationName, ExperimentFile } from './file/schema.js';

/** A system that ranks documents: a row of a table, a point of a figure. */
export interface System {
  /** Its name in tables. */
  readonly name: string;
  /** Its name in paths. */
  readonly id: string;
}

export interface FirstStageSystem extends System {
  readonly firstStage: FirstStage;
}

/** A ranking that the experiment file gives as a TREC run. */
export interface GivenSystem extends System {
  /** Path of the run, as the file writes it. */
  readonly run: string;
}

/** The settings of the method without α and β. */
export type MethodSettings = FeedbackMethod &
  Required<Pick<BertQEOptions, 'passageChoice' | 'chunkSource' | 'expansion'>>;

/** A re-ranker of the initial ranking: a BERT-QE variant or, without expansion, MaxP. */
export interface RerankingSystem extends System {
  readonly variant: Variant;
  readonly method: MethodSettings;
  /** α, where it is not tuned: 1 without rel(q,d), 0 for MaxP. */
  readonly fixedAlpha?: number;
}

/** A system that the paper compares with, built here. */
export interface ControlSystem extends System, ControlName {
  readonly depth: number;
}

export type BaselineSystem = FirstStageSystem | GivenSystem | RerankingSystem | ControlSystem;

export interface Systems {
  /** The ranking that is re-ranked. */
  readonly initial: FirstStageSystem | GivenSystem;
  /** First stages, given runs, MaxP re-rankers and controls, in the order of the file; an initial run comes first. */
  readonly baselines: readonly BaselineSystem[];
  readonly variants: readonly RerankingSystem[];
  readonly ablations:
    | { readonly of: RerankingSystem; readonly systems: readonly RerankingSystem[] }
    | undefined;
  readonly grid: { readonly of: Variant; readonly points: readonly RerankingSystem[] } | undefined;
  /** Names of the baselines that the others are tested against. */
  readonly against: readonly string[];
}

/** The name of a model that was fine-tuned for a variant's phase three. */
export function phaseThreeName({ name }: Variant): string {
  return `${name}-phase3`;
}

export function isReranking(system: BaselineSystem): system is RerankingSystem {
  return 'variant' in system;
}

export function isControl(system: BaselineSystem): system is ControlSystem {
  return 'control' in system;
}

export function isGiven(system: BaselineSystem): system is GivenSystem {
  return 'run' in system;
}

export function systemsOf(experiment: ExperimentFile): Systems {
  const settings: MethodSettings = {
    ...experiment.method,
    depth: experiment.depth,
    chunkSource: 'best-passage',
    expansion: true,
  };
  const reranker = (variant: Variant, changed: Partial<MethodSettings> = {}): RerankingSystem => ({
    name: variant.name,
    id: variant.name,
    variant,
    method: { ...settings, ...changed },
  });
  const maxP = (variant: Variant): RerankingSystem => ({
    ...reranker(variant, { expansion: false }),
    name: isOwn(variant.phaseOne, experiment.models) ? variant.phaseOne : variant.name,
    fixedAlpha: 0,
  });
  const variants = unique(experiment.variants.map((name) => reranker(parseVariant(name))));
  const { ablations, grid, initial } = experiment;
  const given = new Map(
    [initial, ...experiment.baselines].flatMap((each) =>
      typeof each === 'string' ? [] : [[each.name, givenSystem(each)]],
    ),
  );
  const resolve = (name: string): readonly BaselineSystem[] => {
    // A run that is called as a first stage stands in its place.
    const run = given.get(name);
    if (run) return [run];
    const firstStage = parseFirstStage(name);
    if (firstStage) return [{ name: firstStage.name, id: firstStage.name, firstStage }];
    const control = parseControl(name);
    if (control) return [{ ...control, id: control.name, depth: experiment.depth }];
    if (name.toLowerCase() !== 'maxp') return [maxP(parseVariant(name))];
    return variants.map(({ variant }) => maxP(parseVariant(variant.phaseOne)));
  };
  const against = unique(
    (experiment.significance.against ?? [variants[0].variant.phaseOne]).flatMap(resolve),
  );
  const [ranking] = resolve(nameOf(initial)) as (FirstStageSystem | GivenSystem)[];
  const baselines = experiment.baselines.flatMap((each) => resolve(nameOf(each)));
  return {
    initial: ranking,
    // Tables always show a run that is given, and the systems that others are tested against.
    baselines: unique([
      ...(isGiven(ranking) && !baselines.includes(ranking) ? [ranking] : []),
      ...baselines,
      ...against,
    ]),
    variants,
    ablations: ablations && {
      of: reranker(parseVariant(ablations.of)),
      systems: ablations.which.map((which) => ablate(reranker(parseVariant(ablations.of)), which, ranking)),
    },
    grid: grid && {
      of: parseVariant(grid.of),
      points: grid.chunkWords.flatMap((chunkWords) =>
        // The largest kc first: smaller ones use part of its scores.
        grid.kc
          .toSorted((a, b) => b - a)
          .map((kc) => {
            const whole = reranker(parseVariant(grid.of), { kc, chunkWords });
            const suffix = `kc=${kc}, m=${chunkWords}`;
            return { ...whole, name: `${whole.name}, ${suffix}`, id: `${whole.id}-kc${kc}-m${chunkWords}` };
          }),
      ),
    },
    against: against.map(({ name }) => name),
  };
}

/** The re-ranking systems, MaxP first: variants of the same first size reuse its scores. */
export function rerankingSystems({ baselines, variants, ablations, grid }: Systems): RerankingSystem[] {
  const all = [
    ...baselines.filter(isReranking),
    ...variants,
    ...(ablations ? [ablations.of, ...ablations.systems] : []),
    ...(grid?.points ?? []),
  ];
  return unique(all);
}

/** The models that controls use, as MaxP would use them. */
export function modelsOfControls({ baselines }: Systems): Pick<RerankingSystem, 'variant'>[] {
  return baselines
    .filter(isControl)
    .flatMap(({ size }) => (size === undefined ? [] : [{ variant: parseVariant(size) }]));
}

/** True for a size whose model is named by its letter: it is not the paper's BERT of that size, and is called S or T. */
function isOwn(size: SizeLetter, { [size]: model = size }: ExperimentFile['models']): boolean {
  return model === size;
}

/** An ablation of Table 5 of the paper. */
function ablate(of: RerankingSystem, which: AblationName, initial: System): RerankingSystem {
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
        name: `${of.name}, chunks from ${initial.name}`,
        id: `${of.id}-chunks-from-initial`,
        method: { ...of.method, chunkSource: 'initial' },
      };
  }
}

function givenSystem({ name, run }: { readonly name: string; readonly run: string }): GivenSystem {
  return { name, id: name.replaceAll(/[^\w.+-]+/g, '-'), run };
}

function nameOf(system: string | { readonly name: string }): string {
  return typeof system === 'string' ? system : system.name;
}

function unique<T extends System>(systems: readonly T[]): T[] {
  return distinctBy(systems, ({ id }) => id);
}

/** The items with different keys; of several with the same one, the last. */
export function distinctBy<T>(items: readonly T[], key: (item: T) => string): T[] {
  return [...new Map(items.map((item) => [key(item), item])).values()];
}

export function sizesOf(systems: readonly Pick<RerankingSystem, 'variant'>[]): Set<SizeLetter> {
  const phaseTwo = systems.flatMap(({ variant: { expansion } }) => (expansion ? [expansion.phaseTwo] : []));
  return new Set([...scoringSizesOf(systems), ...phaseTwo]);
}

/** The sizes of the models that score documents, in phases one and three. */
export function scoringSizesOf(systems: readonly Pick<RerankingSystem, 'variant'>[]): Set<SizeLetter> {
  const sizes = systems.flatMap(({ variant }) => [variant.phaseOne, variant.expansion?.phaseThree]);
  return new Set(sizes.filter((size) => size !== undefined));
}
