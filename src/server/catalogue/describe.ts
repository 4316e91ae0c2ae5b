import {
  paperCost,
  type Variant as PaperVariant,
  type RerankCost,
  type Settings,
} from '../../expansion/index.js';
import { weightFlops } from '../../bert/index.js';
import type { VariantDescription, VariantsAnswer } from '../schemas/index.js';
import type { ServedModel } from '../scheduling/index.js';
import type { Phase } from '../../expansion/index.js';
import type { ServedVariant } from './variants.js';
import { shownSettings } from './shown-settings.js';

/** The described facts of a model; the models of the static site are described without being loaded. */
type DescribedModel = Pick<ServedModel, 'name' | 'shape' | 'size' | 'precision' | 'device'>;

export interface DescribedVariant extends Pick<ServedVariant, 'id' | 'name' | 'aliases' | 'expansion'> {
  readonly models: Readonly<Record<Phase, DescribedModel>>;
}

/** Searches that a mean is taken over. */
const meanOver = 50;

/** The cost of one search. */
interface Measured {
  readonly cost: RerankCost;
  readonly documents: number;
}

/** The costs of recent searches, by variant. */
export class Measurements {
  readonly #costs = new Map<DescribedVariant, Measured[]>();

  record(variant: DescribedVariant, cost: RerankCost, documents: number): void {
    const costs = this.#costs.get(variant) ?? [];
    costs.push({ cost, documents });
    if (costs.length > meanOver) costs.shift();
    this.#costs.set(variant, costs);
  }

  of(variant: DescribedVariant): VariantDescription['measured'] {
    const costs = this.#costs.get(variant);
    if (!costs) return undefined;
    const mean = (of: (one: Measured) => number): number =>
      costs.reduce((sum, one) => sum + of(one), 0) / costs.length;
    return {
      searches: costs.length,
      flops: mean(({ cost }) => cost.flops),
      documents: mean(({ documents }) => documents),
      milliseconds: {
        total: mean(({ cost }) => 1000 * cost.seconds),
        bestPassage: mean(({ cost }) => 1000 * cost.bestPassage.seconds),
        phaseOne: mean(({ cost }) => 1000 * cost.phaseOne.seconds),
        phaseTwo: mean(({ cost }) => 1000 * cost.phaseTwo.seconds),
        phaseThree: mean(({ cost }) => 1000 * cost.phaseThree.seconds),
      },
    };
  }
}

export function describeVariants(
  variants: readonly DescribedVariant[],
  settings: Settings,
  measurements: Measurements,
): VariantsAnswer {
  return {
    default: variants[0].id,
    variants: variants.map((variant) => describe(variant, settings, measurements)),
    settings: shownSettings(settings),
  };
}

function describe(
  variant: DescribedVariant,
  settings: Settings,
  measurements: Measurements,
): VariantDescription {
  const { id, name, aliases, expansion, models } = variant;
  const paper = paperFlops(variant, settings);
  const measured = measurements.of(variant);
  return {
    id,
    name,
    aliases: [...aliases],
    expansion,
    models: {
      bestPassage: describeModel(models.bestPassage),
      phaseOne: describeModel(models.phaseOne),
      ...(expansion
        ? { phaseTwo: describeModel(models.phaseTwo), phaseThree: describeModel(models.phaseThree) }
        : {}),
    },
    ...(paper ? { paper } : {}),
    ...(measured ? { measured } : {}),
  };
}

function describeModel({
  name,
  shape,
  precision,
  device,
}: DescribedModel): VariantDescription['models']['phaseOne'] {
  return {
    model: name,
    ...(shape ? { layers: shape.layers, hidden: shape.hidden, flopsPerToken: weightFlops(shape) } : {}),
    precision,
    device,
  };
}

function paperFlops(
  { name, models, expansion }: DescribedVariant,
  { kd, kc, passage, chunk }: Settings,
): VariantDescription['paper'] {
  const { phaseOne, phaseTwo, phaseThree } = models;
  if (!phaseOne.size || !phaseTwo.size || !phaseThree.size) return undefined;
  const sizes: PaperVariant = {
    name,
    phaseOne: phaseOne.size,
    ...(expansion ? { expansion: { phaseTwo: phaseTwo.size, phaseThree: phaseThree.size } } : {}),
  };
  const cost = paperCost(sizes, {
    kd,
    kc,
    chunkWords: chunk.length,
    passageWords: passage.length,
  });
  return {
    flops: cost.flops,
    relative: cost.relative,
    phaseOne: cost.phaseOne.flops,
    ...(cost.phaseTwo ? { phaseTwo: cost.phaseTwo.flops } : {}),
    ...(cost.phaseThree ? { phaseThree: cost.phaseThree.flops } : {}),
  };
}
