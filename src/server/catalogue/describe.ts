import { weightFlops } from '../../bert/index.js';
import { getOrInsert } from '../../common/get-or-insert.js';
import { omitUndefined } from '../../common/omit-undefined.js';
import {
  eachPhase,
  paperCost,
  type Phase,
  type RerankCost,
  type Settings,
  type Variant as PaperVariant,
} from '../../expansion/index.js';
import type { ServedModel } from '../scheduling/index.js';
import type { ListedModel, ModelsAnswer, VariantDescription, VariantsAnswer } from '../schemas/index.js';
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
    const costs = getOrInsert(this.#costs, variant, () => []);
    costs.push({ cost, documents });
    if (costs.length > meanOver) costs.shift();
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
        ...eachPhase((phase) => mean(({ cost }) => 1000 * cost[phase].seconds)),
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
  const { id, name, aliases, expansion } = variant;
  const models = eachPhase((phase) => describeModel(variant.models[phase]));
  const { bestPassage, phaseOne } = models;
  return {
    id,
    name,
    aliases: [...aliases],
    expansion,
    models: expansion ? models : { bestPassage, phaseOne },
    ...omitUndefined({ paper: paperFlops(variant, settings), measured: measurements.of(variant) }),
  };
}

function describeModel(model: DescribedModel): VariantDescription['models']['phaseOne'] {
  const { name, shape, precision, device } = model;
  const size = shape && { layers: shape.layers, hidden: shape.hidden, flopsPerToken: weightFlops(shape) };
  return { model: name, ...size, precision, device };
}

function paperFlops({ name, models, expansion }: DescribedVariant, settings: Settings) {
  const [phaseOne, phaseTwo, phaseThree] = [models.phaseOne, models.phaseTwo, models.phaseThree].map(
    ({ size }) => size,
  );
  if (!phaseOne || !phaseTwo || !phaseThree) return undefined;
  const variant: PaperVariant = { name, phaseOne, ...(expansion && { expansion: { phaseTwo, phaseThree } }) };
  const { kd, kc, chunk, passage } = settings;
  const cost = paperCost(variant, { kd, kc, chunkWords: chunk.length, passageWords: passage.length });
  return {
    flops: cost.flops,
    relative: cost.relative,
    phaseOne: cost.phaseOne.flops,
    ...omitUndefined({ phaseTwo: cost.phaseTwo?.flops, phaseThree: cost.phaseThree?.flops }),
  };
}

/** The list of models for clients of OpenAI (`data`) and Cohere (`models`), which may ask for the models of an endpoint. */
export function modelList(
  variants: readonly ServedVariant[],
  created: Date,
  endpoint: string | null,
): ModelsAnswer {
  const models =
    endpoint === null || endpoint === 'rerank'
      ? variants.flatMap((variant) => variant.listed.map((name) => modelEntry(name, variant, created)))
      : [];
  return { object: 'list', data: models, models };
}

/** A model under one of its names, with the fields of OpenAI, vLLM (`root`) and Cohere. */
export function modelEntry(name: string, { id }: ServedVariant, created: Date): ListedModel {
  return {
    id: name,
    object: 'model',
    created: Math.floor(created.getTime() / 1000),
    owned_by: 'bert-qe',
    root: id,
    name,
    endpoints: ['rerank'],
    finetuned: false,
  };
}
