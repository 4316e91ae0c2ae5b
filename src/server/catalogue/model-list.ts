import type { ListedModel, ModelsAnswer } from '../schemas/index.js';
import type { ServedVariant } from './variants.js';

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
