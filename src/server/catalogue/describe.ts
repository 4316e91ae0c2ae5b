import {
  paperCost,
  type Variant as PaperVariant,
  type RerankCost,
  type Settings,
  windowSpans,
} from '../../expansion/index.js';
import { weightFlops } from '../../bert/index.js';
import type { VariantDescription, VariantsAnswer } from '../schemas/index.js';
import type { LoadedEngine, Variant } from './variant.js';

/** Searches that the means are taken over. */
const latest = 50;

/** What one search took. */
interface Measured {
  readonly cost: RerankCost;
  readonly documents: number;
}

/** What searches took lately, by variant. */
export class Measurements {
  readonly #costs = new Map<Variant, Measured[]>();

  record(variant: Variant, cost: RerankCost, documents: number): void {
    const costs = this.#costs.get(variant) ?? [];
    costs.push({ cost, documents });
    if (costs.length > latest) costs.shift();
    this.#costs.set(variant, costs);
  }

  of(variant: Variant): VariantDescription['measured'] {
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
  variants: readonly Variant[],
  settings: Settings,
  measurements: Measurements,
): VariantsAnswer {
  return {
    default: variants[0].id,
    variants: variants.map((variant) => describe(variant, settings, measurements)),
    settings: shownSettings(settings),
  };
}

/** The settings under the names that requests use. */
export function shownSettings({ alpha, beta, kd, kc, chunk, passage, chunkSource }: Settings) {
  return { alpha, beta, kd, kc, chunkWords: chunk.length, passageWords: passage.length, chunkSource };
}

function describe(variant: Variant, settings: Settings, measurements: Measurements): VariantDescription {
  const { id, name, aliases, expansion, engines } = variant;
  const paper = paperFlops(variant, settings);
  const measured = measurements.of(variant);
  return {
    id,
    name,
    aliases: [...aliases],
    expansion,
    models: {
      bestPassage: describeEngine(engines.bestPassage),
      phaseOne: describeEngine(engines.phaseOne),
      ...(expansion
        ? { phaseTwo: describeEngine(engines.phaseTwo), phaseThree: describeEngine(engines.phaseThree) }
        : {}),
    },
    ...(paper ? { paper } : {}),
    ...(measured ? { measured } : {}),
  };
}

function describeEngine({
  name,
  meter,
  precision,
  device,
}: LoadedEngine): VariantDescription['models']['phaseOne'] {
  const { shape } = meter;
  const known = shape.layers > 0;
  return {
    model: name,
    ...(known ? { layers: shape.layers, hidden: shape.hidden, flopsPerToken: weightFlops(shape) } : {}),
    precision,
    device,
  };
}

function paperFlops(
  { name, engines, expansion }: Variant,
  { kd, kc, passage, chunk }: Settings,
): VariantDescription['paper'] {
  const { phaseOne, phaseTwo, phaseThree } = engines;
  if (!phaseOne.size || !phaseTwo.size || !phaseThree.size) return undefined;
  const sizes: PaperVariant = {
    name,
    phaseOne: phaseOne.size,
    ...(expansion ? { expansion: { phaseTwo: phaseTwo.size, phaseThree: phaseThree.size } } : {}),
  };
  const cost = paperCost(sizes, {
    kd,
    kc,
    chunksPerPassage: windowSpans(passage.length, chunk).length,
  });
  return {
    flops: cost.flops,
    relative: cost.relative,
    phaseOne: cost.phaseOne.flops,
    ...(cost.phaseTwo ? { phaseTwo: cost.phaseTwo.flops } : {}),
    ...(cost.phaseThree ? { phaseThree: cost.phaseThree.flops } : {}),
  };
}
