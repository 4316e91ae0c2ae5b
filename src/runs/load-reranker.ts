import { findModel, hashModel, type Scorer } from '../bert/index.js';
import {
  BertQE,
  Birch,
  parseVariant,
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

/** A re-ranker whose models may be on other machines. */
export interface LoadedReranker {
  readonly bertQe: BertQE;
  close(): Promise<void>;
}

/** Loads a re-ranker. Models that are named by an address are opened on their servers, the others here. */
export async function loadReranker(
  { models, ...options }: RerankerConfig,
  signal?: AbortSignal,
): Promise<LoadedReranker> {
  const { bestPassage, phaseOne, phaseTwo, phaseThree } = namesByPhase(models);
  const names = [bestPassage, phaseOne, phaseTwo, phaseThree];
  const { reranker: bertQe, close } = await withRemoteModels(names, signal, (choose) =>
    BertQE.load({
      ...options,
      models: {
        bestPassage: choose(bestPassage),
        phaseOne: choose(phaseOne),
        phaseTwo: choose(phaseTwo),
        phaseThree: choose(phaseThree),
      },
      expansion: hasExpansion(models) && (options.expansion ?? true),
    }),
  );
  return { bertQe, close };
}

/** Loads Birch. A model that is named by an address is opened on its server. */
export async function loadBirch(
  { model, ...options }: BirchConfig,
  signal?: AbortSignal,
): Promise<{ readonly birch: Birch; close(): Promise<void> }> {
  const { reranker: birch, close } = await withRemoteModels([model], signal, (choose) =>
    Birch.load({ ...options, model: choose(model) }),
  );
  return { birch, close };
}

/** Opens the models that are named by an address and makes a re-ranker, whose `close` ends these too. */
async function withRemoteModels<R extends { close(): Promise<void> }>(
  names: readonly string[],
  signal: AbortSignal | undefined,
  load: (choose: (name: string) => string | Scorer) => Promise<R>,
): Promise<{ reranker: R; close(): Promise<void> }> {
  const remote = new Map<string, RemoteScorer>();
  const closeRemote = async (): Promise<void> => {
    await Promise.all([...remote.values()].map((scorer) => scorer.close()));
  };
  try {
    for (const address of new Set(names.filter(isScorerAddress))) {
      remote.set(address, await openRemoteScorer(address, signal));
    }
    const reranker = await load((name) => remote.get(name) ?? name);
    const close = async (): Promise<void> => {
      await reranker.close();
      await closeRemote();
    };
    return { reranker, close };
  } catch (error) {
    await closeRemote();
    throw error;
  }
}

/** Hashes of the models of every phase; a model on a server is identified by its address. */
export async function modelInputs(models: RerankerConfig['models']): Promise<RunInputs> {
  const names = namesByPhase(models);
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

/** Phase one's model serves every phase for which none is named. */
export function namesByPhase(models: RerankerConfig['models']): Readonly<Record<Phase, string>> {
  const { phaseOne, ...others } = typeof models === 'string' ? lettersByPhase(models) : models;
  return { bestPassage: phaseOne, phaseOne, phaseTwo: phaseOne, phaseThree: phaseOne, ...others };
}

function lettersByPhase(letters: string): ModelNames {
  const { phaseOne, expansion } = parseVariant(letters);
  return { phaseOne, ...expansion };
}

/** A single letter is MaxP. */
function hasExpansion(models: RerankerConfig['models']): boolean {
  return typeof models !== 'string' || parseVariant(models).expansion !== undefined;
}
