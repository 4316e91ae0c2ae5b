import { settingsFrom } from '../../expansion/index.js';
import {
  describeVariants,
  experimentFiles,
  listExperiments,
  modelList,
  modelEntry,
} from '../catalogue/index.js';
import { fileUnder, HttpProblem, jsonAnswer, textAnswer } from '../http/index.js';
import type { InfoAnswer } from '../schemas/index.js';
import type { Handler, Handlers } from './handler.js';

/** Reports load nothing and run nothing. */
const reportPolicy =
  "default-src 'none'; img-src 'self' data:; style-src 'unsafe-inline'; frame-ancestors 'self'; sandbox";

const answerModels: Handler = ({ models, started }, { request }) => {
  const { searchParams } = new URL(request.url ?? '', 'http://localhost');
  return jsonAnswer(modelList(models.variants, started, searchParams.get('endpoint')));
};

export const catalogueHandlers = {
  variants: ({ models, methodDefaults, measurements }) =>
    jsonAnswer(describeVariants(models.variants, settingsFrom(methodDefaults.options), measurements)),

  models: answerModels,

  modelsV1: answerModels,

  modelV1: (service, { match }) => {
    const { model } = match!.parameters;
    return jsonAnswer(modelEntry(model, service.models.findForClient(model), service.started));
  },

  info: async (service) => {
    const { version, models, collection, topics, limits, depth } = service;
    const { experiments } = await listExperiments(service.experiments);
    const [{ id }] = models.variants;
    return jsonAnswer({
      name: 'bert-qe',
      version,
      model: id,
      model_id: id,
      model_type: { reranker: { id2label: { '0': 'LABEL_0' }, label2id: { LABEL_0: 0 } } },
      collection: collection
        ? {
            documents: collection.statistics.documents,
            terms: collection.statistics.tokens,
            firstStage: collection.firstStage,
            depth,
          }
        : null,
      queries: topics.queries.length,
      judged: topics.queries.filter(({ id }) => topics.qrels.has(id)).length,
      experiments: experiments.length,
      limits,
    } satisfies InfoAnswer);
  },

  queries: ({ topics }) =>
    jsonAnswer({
      queries: topics.queries.map(({ id, text }) => ({ id, text, relevant: topics.relevant(id) })),
    }),

  document: async ({ collection }, { match }) => {
    const { id } = match!.parameters;
    const found = (await collection?.documents.get([id]))?.get(id);
    if (!found) {
      const where = collection ? 'the index' : 'this server, which has no index';
      throw new HttpProblem('not_found', `There is no document "${id}" in ${where}.`);
    }
    return jsonAnswer(found);
  },

  experiments: async ({ experiments }) => jsonAnswer(await listExperiments(experiments)),

  experimentFile: async ({ experiments }, { match }) => {
    const { name, file } = match!.parameters;
    const isOffered = experiments !== undefined && experimentFiles.test(file);
    const found = isOffered ? await fileUnder(experiments, `${name}/${file}`) : undefined;
    if (!found) throw new HttpProblem('not_found', `There is no file "${file}" of an experiment "${name}".`);
    return textAnswer(found.bytes, found.type, 200, { 'Content-Security-Policy': reportPolicy });
  },
} satisfies Partial<Handlers>;
