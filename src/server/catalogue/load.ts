import { availableParallelism } from 'node:os';
import { basename } from 'node:path';
import {
  BertScorer,
  findModel,
  SIZE_FOLDERS,
  sizeLetter,
  weightFlops,
  type Device,
  type Precision,
  type SizeLetter,
} from '../../bert/index.js';
import { usageError } from '../../common/errors.js';
import type { ServedModel } from '../scheduling/index.js';
import { namedVariant, type NamedVariant } from './names.js';
import { anyName, defaultName, findVariant, type ServedVariant } from './variants.js';

export interface LoadModelsOptions {
  /** Variants to offer, the first is the default: `SST`, `S`, a model's name or path, or `phase1+phase2+phase3`. */
  readonly models: readonly string[];
  /** Further names: `rerank-v3.5` → `SST`. `*` is any unknown name (the default variant). */
  readonly aliases?: ReadonlyMap<string, string>;
  /** Refuses unknown names of models with 404 (false: clients of other services send theirs). */
  readonly strictModels?: boolean;
  readonly device?: Device | 'auto';
  readonly precision?: Precision | 'auto';
}

/** Loaded models, and the variants made of them. */
interface LoadedVariants {
  readonly variants: readonly ServedVariant[];
  close(): Promise<void>;
}

interface OpenedModel {
  readonly name: string;
  readonly scorer: BertScorer;
}

/** The largest round of a fast model, in multiples of the tokens that keep all workers busy. */
const roundGrowth = 8;

/**
 * The nice levels by which scoring threads run below the serving thread. There is a scoring thread per core. At equal
 * levels, garbage collection with V8's helper threads makes the serving thread wait for a core for up to 100 ms. More
 * levels cost throughput: five leave 87.8 % of that of the scorer alone, one leaves 91 %.
 */
const scoringNiceness = 1;

/** Loads each model once, whatever the number of variants made of it. */
export async function loadVariants(options: LoadModelsOptions): Promise<LoadedVariants> {
  const named = options.models.map((text) => namedVariant(text));
  if (named.length === 0) throw usageError('The server needs a model; give --models SST.');
  if (options.strictModels && options.aliases?.has(anyName)) {
    throw usageError(`--alias '*=…' serves every name, --strict-models none; leave one out.`);
  }
  const opened = new Map<string, OpenedModel>();
  const close = async (): Promise<void> => {
    await Promise.all([...opened.values()].map(({ scorer }) => scorer.close()));
  };
  try {
    for (const model of new Set(named.flatMap(({ models }) => models))) {
      const folder = await findModel(model);
      if (!opened.has(folder)) opened.set(folder, await open(model, folder, options));
    }
    const served = servedModels(opened);
    const variants: ServedVariant[] = [];
    for (const variant of named) {
      const folders = await Promise.all(variant.models.map((model) => findModel(model)));
      variants.push(
        assemble(
          variant,
          folders.map((folder) => served.get(folder)!),
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
): Promise<OpenedModel> {
  const scorer = await BertScorer.load({
    model: folder,
    niceness: scoringNiceness,
    device,
    precision,
  });
  const name = Object.hasOwn(SIZE_FOLDERS, model) ? SIZE_FOLDERS[model as SizeLetter] : basename(folder);
  return { name, scorer };
}

/** The models with their weights: 1 for the costliest, for others their FLOPs per token relative to it. */
function servedModels(opened: ReadonlyMap<string, OpenedModel>): Map<string, ServedModel> {
  const costs = [...opened.values()].map(({ scorer }) => flopsPerToken(scorer));
  const highest = Math.max(...costs);
  return new Map(
    [...opened].map(([folder, { name, scorer }], i) => {
      const { batchTokens, device, precision, shape, workers } = scorer.info;
      const isCpu = device === 'cpu';
      const size = shape && sizeLetter(shape);
      const roundTokens = batchTokens * (isCpu ? Math.max(workers, availableParallelism()) : 1);
      const model: ServedModel = {
        name,
        scorer,
        precision,
        device,
        weight: costs[i] > 0 ? costs[i] / highest : 1,
        roundTokens,
        // Batches of a GPU have their full size already.
        fullRoundTokens: isCpu ? roundGrowth * roundTokens : roundTokens,
        ...(shape ? { shape } : {}),
        ...(size ? { size } : {}),
      };
      return [folder, model];
    }),
  );
}

function flopsPerToken({ info: { shape } }: BertScorer): number {
  return shape ? weightFlops(shape) : 0;
}

function assemble({ id, name, aliases }: NamedVariant, models: readonly ServedModel[]): ServedVariant {
  const [phaseOne, phaseTwo = phaseOne, phaseThree = phaseOne] = models;
  const bestPassage = models.reduce((least, model) => (model.weight < least.weight ? model : least));
  return {
    id,
    name,
    aliases,
    listed: [id],
    models: { bestPassage, phaseOne, phaseTwo, phaseThree },
    expansion: models.length > 1,
  };
}

/** Adds the given names, and the name of the default variant unless a model has that name. */
function withAliases(
  variants: readonly ServedVariant[],
  aliases: ReadonlyMap<string, string>,
): ServedVariant[] {
  const added = new Map<ServedVariant, string[]>();
  const add = (variant: ServedVariant, name: string) =>
    added.set(variant, [...(added.get(variant) ?? []), name]);
  const isTaken = findVariant(variants, defaultName) ?? aliases.has(defaultName);
  if (!isTaken) add(variants[0], defaultName);
  for (const [alias, target] of aliases) {
    const variant =
      !isTaken && target.toLowerCase() === defaultName ? variants[0] : findVariant(variants, target);
    if (!variant) {
      throw usageError(
        `--alias ${alias}=${target}: "${target}" is not among the models served (${variants.map(({ id }) => id).join(', ')}).`,
      );
    }
    add(variant, alias);
  }
  return variants.map((variant) => {
    const names = added.get(variant) ?? [];
    return {
      ...variant,
      aliases: [...variant.aliases, ...names],
      listed: [...variant.listed, ...names.filter((name) => name !== anyName)],
    };
  });
}
