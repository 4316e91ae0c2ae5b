import { findModel, hashModel, type Scorer } from '../bert/index.js';
import { openAll } from '../common/open-all.js';
import {
  BertQE,
  Birch,
  chooseModels,
  eachPhase,
  phases,
  type BirchLoadOptions,
  type LoadOptions,
  type Phase,
} from '../expansion/index.js';
import { isScorerAddress, openRemoteScorer, type RemoteScorer } from '../remote/index.js';

/** Everything that the results of a run depend on, by name: hashes, and values as text. */
export type RunInputs = Readonly<Record<string, string>>;

/** A model per phase by letter, name, path or, for a model on a server, by its address. */
export interface ModelNames {
  readonly bestPassage?: string;
  readonly phaseOne: string;
  readonly phaseTwo?: string;
  readonly phaseThree?: string;
}

/** The options of {@link BertQE.load} as plain data: what another machine needs in order to load the same re-ranker. */
export interface RerankerConfig extends Omit<LoadOptions, 'models' | 'preset' | 'fineTuned'> {
  /** Size letters such as `'SST'`, or a model per phase. */
  readonly models: string | ModelNames;
}

/** The options of {@link Birch.load} as plain data. */
export interface BirchConfig extends BirchLoadOptions {
  /** A model by letter, name or path or, for one on a server, by its address. */
  readonly model: string;
}

/** A re-ranker whose models may be on other machines; `close` ends these too. */
export interface LoadedReranker<R = BertQE> {
  readonly reranker: R;
  close(): Promise<void>;
}

/** Loads a re-ranker. Models that are named by an address are opened on their servers, the others here. */
export async function loadReranker(
  { models, ...options }: RerankerConfig,
  signal?: AbortSignal,
): Promise<LoadedReranker> {
  const { names, expansion } = chooseNames(models, options.passageChoice);
  return withRemoteModels(Object.values(names), signal, (choose) =>
    BertQE.load({
      ...options,
      models: eachPhase((phase) => choose(names[phase])),
      expansion: expansion && (options.expansion ?? true),
    }),
  );
}

/** Loads Birch. A model that is named by an address is opened on its server. */
export async function loadBirch(
  { model, ...options }: BirchConfig,
  signal?: AbortSignal,
): Promise<LoadedReranker<Birch>> {
  return withRemoteModels([model], signal, (choose) => Birch.load({ ...options, model: choose(model) }));
}

/** Opens the models that are named by an address, and makes a re-ranker of these and the others. */
function withRemoteModels<R extends { close(): Promise<void> }>(
  names: readonly string[],
  signal: AbortSignal | undefined,
  load: (choose: (name: string) => string | Scorer) => Promise<R>,
): Promise<LoadedReranker<R>> {
  return openAll(async (closeLater) => {
    const remote = new Map<string, RemoteScorer>();
    for (const address of new Set(names.filter(isScorerAddress))) {
      const scorer = await openRemoteScorer(address, signal);
      closeLater(() => scorer.close());
      remote.set(address, scorer);
    }
    const reranker = await load((name) => remote.get(name) ?? name);
    closeLater(() => reranker.close());
    return { reranker };
  });
}

/** Hashes of the models of every phase; a model on a server is identified by its address. */
export async function modelInputs({
  models,
  passageChoice,
}: Pick<RerankerConfig, 'models' | 'passageChoice'>): Promise<RunInputs> {
  const { names } = chooseNames(models, passageChoice);
  const hashes = new Map<string, string>();
  const inputs: Record<string, string> = {};
  for (const phase of phases) {
    const name = names[phase];
    const place = isScorerAddress(name) ? name : await findModel(name);
    const hash = hashes.get(place) ?? (isScorerAddress(place) ? place : await hashModel(place));
    hashes.set(place, hash);
    inputs[`model of ${phase}`] = hash;
  }
  return inputs;
}

/** The name of each phase's model. A single letter is MaxP, without expansion. */
export function chooseNames(
  models: RerankerConfig['models'],
  passageChoice?: RerankerConfig['passageChoice'],
): {
  readonly names: Readonly<Record<Phase, string>>;
  readonly expansion: boolean;
} {
  const { models: names, expansion } = chooseModels(models, { passageChoice });
  return { names: names as Record<Phase, string>, expansion };
}
