import { settingsFrom } from '../../expansion/index.js';
import { describeVariants, experimentFiles, listExperiments } from '../catalogue/index.js';
import { fileUnder, HttpProblem } from '../http/index.js';
import type { InfoAnswer } from '../schemas/index.js';
import type { RouteHandler } from './context.js';

/** Reports load nothing, and run nothing. */
const reportPolicy =
  "default-src 'none'; img-src 'self' data:; style-src 'unsafe-inline'; frame-ancestors 'self'; sandbox";

export const answerVariants: RouteHandler = ({ variants, methods, measurements }, c) =>
  c.json(describeVariants(variants, settingsFrom(methods.own), measurements));

export const answerInfo: RouteHandler = async (service, c) => {
  const { version, variants, collection, topics, limits, depth } = service;
  const { experiments } = await listExperiments(service.experiments);
  return c.json({
    name: 'bert-qe',
    version,
    model: variants[0].id,
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
};

export const answerQueries: RouteHandler = ({ topics }, c) =>
  c.json({ queries: topics.queries.map(({ id, text }) => ({ id, text, relevant: topics.relevant(id) })) });

export const answerDocument: RouteHandler = async ({ collection }, c) => {
  const id = c.req.param('id') ?? '';
  const found = (await collection?.documents.get([id]))?.get(id);
  if (!found) {
    const where = collection ? 'the index' : 'this server, which has no index';
    throw new HttpProblem(404, 'not_found', `There is no document "${id}" in ${where}.`);
  }
  return c.json(found);
};

export const answerExperiments: RouteHandler = async ({ experiments }, c) =>
  c.json(await listExperiments(experiments));

export const answerExperimentFile: RouteHandler = async ({ experiments }, c) => {
  const name = c.req.param('name') ?? '';
  const file = c.req.param('file') ?? '';
  const found =
    experiments !== undefined && experimentFiles.test(file)
      ? await fileUnder(experiments, `${name}/${file}`)
      : undefined;
  if (!found)
    throw new HttpProblem(404, 'not_found', `There is no file "${file}" of an experiment "${name}".`);
  return c.body(new Uint8Array(found.bytes), 200, {
    'Content-Type': found.type,
    'Content-Security-Policy': reportPolicy,
  });
};
