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
import { omitUndefined } from '../../common/omit-undefined.js';
import { openAll } from '../../common/open-all.js';
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

/** The largest round of a fast model, in multiples of the tokens that keep all workers busy. */
const roundGrowth = 8;

/**
 * The nice levels by which scoring threads run below the serving thread. There is a scoring thread per core. At equal
 * levels, garbage collection with V8's helper threads makes the serving thread wait for a core for up to 100 ms. More
 * levels cost throughput: five leave 87.8 % of that of the scorer alone, one leaves 91 %.
 */
const scoringNiceness = 1;

/** Variants of loaded models. Each model is loaded once, whatever the number of variants made of it. */
export async function loadVariants(options: LoadModelsOptions) {
  const { models, device, precision, aliases = new Map() } = options;
  const named = models.map((text) => namedVariant(text));
  if (named.length === 0) throw usageError('The server needs a model; give --models SST.');
  if (options.strictModels && aliases.has(anyName)) {
    throw usageError(`--alias '*=…' serves every name, --strict-models none; leave one out.`);
  }
  return openAll(async (closeLater) => {
    const folders = new Map<string, string>();
    const opened = new Map<string, { name: string; scorer: BertScorer }>();
    for (const model of new Set(named.flatMap((variant) => variant.models))) {
      const folder = await findModel(model);
      folders.set(model, folder);
      if (opened.has(folder)) continue;
      const scorer = await BertScorer.load({ model: folder, niceness: scoringNiceness, device, precision });
      closeLater(() => scorer.close());
      const name = Object.hasOwn(SIZE_FOLDERS, model) ? SIZE_FOLDERS[model as SizeLetter] : basename(folder);
      opened.set(folder, { name, scorer });
    }
    const highest = Math.max(...[...opened.values()].map(({ scorer }) => flopsPerToken(scorer)));
    const served = new Map(
      [...opened].map(([folder, { name, scorer }]) => [folder, servedModel(name, scorer, highest)]),
    );
    const modelOf = (name: string): ServedModel => served.get(folders.get(name)!)!;
    const variants = named.map((variant) => assemble(variant, variant.models.map(modelOf)));
    return { variants: withAliases(variants, aliases) };
  });
}

function flopsPerToken({ info: { shape } }: BertScorer): number {
  return shape ? weightFlops(shape) : 0;
}

/** A model with its weight: its FLOPs per token relative to the `highest` of all models. */
function servedModel(name: string, scorer: BertScorer, highest: number): ServedModel {
  const { batchTokens, device, precision, shape, workers } = scorer.info;
  const isCpu = device === 'cpu';
  const flops = flopsPerToken(scorer);
  const roundTokens = batchTokens * (isCpu ? Math.max(workers, availableParallelism()) : 1);
  return {
    name,
    scorer,
    precision,
    device,
    weight: flops > 0 ? flops / highest : 1,
    roundTokens,
    // Batches of a GPU have their full size already.
    fullRoundTokens: isCpu ? roundGrowth * roundTokens : roundTokens,
    ...omitUndefined({ shape, size: shape && sizeLetter(shape) }),
  };
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
  const added: { readonly name: string; readonly variant: ServedVariant }[] = [];
  const isTaken = findVariant(variants, defaultName) ?? aliases.has(defaultName);
  if (!isTaken) added.push({ name: defaultName, variant: variants[0] });
  for (const [alias, target] of aliases) {
    const variant =
      !isTaken && target.toLowerCase() === defaultName ? variants[0] : findVariant(variants, target);
    if (!variant) {
      throw usageError(
        `--alias ${alias}=${target}: "${target}" is not among the models served (${variants.map(({ id }) => id).join(', ')}).`,
      );
    }
    added.push({ name: alias, variant });
  }
  return variants.map((variant) => {
    const names = added.filter((one) => one.variant === variant).map(({ name }) => name);
    return {
      ...variant,
      aliases: [...variant.aliases, ...names],
      listed: [...variant.listed, ...names.filter((name) => name !== anyName)],
    };
  });
}
