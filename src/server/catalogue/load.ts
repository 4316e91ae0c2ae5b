import { availableParallelism } from 'node:os';
import {
  BertScorer,
  findModel,
  readModelConfig,
  SIZE_FOLDERS,
  type Device,
  type Precision,
  type SizeLetter,
  encoderSizes,
  weightFlops,
  type EncoderShape,
  type Meter,
} from '../../bert/index.js';
import { basename } from 'node:path';
import { BertQeError } from '../../common/errors.js';
import { CharacterMeter } from './character-meter.js';
import { namedVariant, type NamedVariant } from './names.js';
import { ScorerMeter } from './scorer-meter.js';
import type { LoadedEngine, Variant } from './variant.js';

export interface LoadModelsOptions {
  /** Variants to offer, the first is the default: `SST`, `S`, a model's name or path, or `phase1+phase2+phase3`. */
  readonly models: readonly string[];
  /** Further names: `rerank-v3.5` → `SST`. */
  readonly aliases?: ReadonlyMap<string, string>;
  readonly device?: Device | 'auto';
  readonly precision?: Precision | 'auto';
}

/** Models that are loaded, and the variants made of them. */
export interface LoadedModels {
  readonly variants: readonly Variant[];
  close(): Promise<void>;
}

interface Opened {
  readonly name: string;
  readonly scorer: BertScorer;
  readonly meter: Meter;
}

/** How many times the tokens that keep all workers busy a round may have, where the model is quick. */
const roundGrowth = 8;

/**
 * How much nicer scoring threads are than the one that serves. There are as many as cores, always with work under load;
 * when V8 collects garbage with its helpers, a serving thread that is only their equal waits for a core for 100 ms. One
 * step is enough for that; with more, one client had less (87.8 % of the scorer alone with five, 91 % with one).
 */
const scoringNiceness = 1;

/** Loads each model once, however many variants are made of it. */
export async function loadVariants(options: LoadModelsOptions): Promise<LoadedModels> {
  const named = options.models.map((text) => namedVariant(text));
  if (named.length === 0) throw new BertQeError('usage', 'The server needs a model; give --models SST.');
  const opened = new Map<string, Opened>();
  const close = async (): Promise<void> => {
    await Promise.all([...opened.values()].map(({ scorer }) => scorer.close()));
  };
  try {
    for (const model of new Set(named.flatMap(({ models }) => models))) {
      const folder = await findModel(model);
      if (!opened.has(folder)) opened.set(folder, await open(model, folder, options));
    }
    const engines = weighed(opened);
    const variants: Variant[] = [];
    for (const variant of named) {
      const folders = await Promise.all(variant.models.map((model) => findModel(model)));
      variants.push(
        assemble(
          variant,
          folders.map((folder) => engines.get(folder)!),
        ),
      );
    }
    return { variants: withAliases(variants, options.aliases ?? new Map()), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function open(
  model: string,
  folder: string,
  { device, precision }: LoadModelsOptions,
): Promise<Opened> {
  const scorer = await BertScorer.load({
    model: folder,
    niceness: scoringNiceness,
    ...(device === undefined ? {} : { device }),
    ...(precision === undefined ? {} : { precision }),
  });
  const name = Object.hasOwn(SIZE_FOLDERS, model) ? SIZE_FOLDERS[model as SizeLetter] : basename(folder);
  try {
    return { name, scorer, meter: new ScorerMeter(await readModelConfig(folder), scorer) };
  } catch (error) {
    // An ONNX export whose config does not describe its layers.
    if (error instanceof BertQeError) return { name, scorer, meter: new CharacterMeter() };
    await scorer.close();
    throw error;
  }
}

/** The costliest model has the weight 1; of others as much as their FLOPs per token are less. */
function weighed(opened: ReadonlyMap<string, Opened>): Map<string, LoadedEngine> {
  const costs = [...opened.values()].map(({ meter }) => weightFlops(meter.shape));
  const most = Math.max(...costs);
  return new Map(
    [...opened].map(([folder, { name, scorer, meter }], i) => {
      const { info } = scorer;
      const size = sizeOf(meter.shape);
      const isCpu = info.device === 'cpu';
      const roundTokens = info.batchTokens * (isCpu ? Math.max(info.workers, availableParallelism()) : 1);
      const engine: LoadedEngine = {
        name,
        scorer,
        meter,
        weight: costs[i] > 0 ? costs[i] / most : 1,
        roundTokens,
        // A GPU's batches are as large as they may be.
        fullRoundTokens: isCpu ? roundGrowth * roundTokens : roundTokens,
        precision: info.precision,
        device: info.device,
        ...(size ? { size } : {}),
      };
      return [folder, engine];
    }),
  );
}

function sizeOf({ layers, hidden }: EncoderShape): SizeLetter | undefined {
  const letters = Object.keys(encoderSizes) as SizeLetter[];
  return letters.find(
    (letter) => encoderSizes[letter].layers === layers && encoderSizes[letter].hidden === hidden,
  );
}

function assemble(named: NamedVariant, engines: readonly LoadedEngine[]): Variant {
  const { models: _, ...names } = named;
  const [phaseOne, phaseTwo = phaseOne, phaseThree = phaseOne] = engines;
  return {
    ...names,
    engines: { bestPassage: phaseOne, phaseOne, phaseTwo, phaseThree },
    expansion: engines.length > 1,
  };
}

function withAliases(variants: readonly Variant[], aliases: ReadonlyMap<string, string>): Variant[] {
  const added = new Map<Variant, string[]>();
  for (const [alias, target] of aliases) {
    const variant = findVariant(variants, target);
    if (!variant) {
      throw new BertQeError(
        'usage',
        `--alias ${alias}=${target}: "${target}" is not among the models served (${variants.map(({ id }) => id).join(', ')}).`,
      );
    }
    added.set(variant, [...(added.get(variant) ?? []), alias]);
  }
  return variants.map((variant) => ({
    ...variant,
    aliases: [...variant.aliases, ...(added.get(variant) ?? [])],
  }));
}

/** The variant of a name, whatever its case. */
export function findVariant(variants: readonly Variant[], name: string): Variant | undefined {
  const wanted = name.toLowerCase();
  return variants.find(({ id, aliases }) => [id, ...aliases].some((known) => known.toLowerCase() === wanted));
}
