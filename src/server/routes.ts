import type { z } from 'zod';
import * as schemas from './schemas/index.js';

/** An answer of a route. */
export interface AnswerSpec {
  readonly description: string;
  /** Absent if the answer is not JSON. */
  readonly schema?: z.ZodType;
  /** `application/json` unless given. */
  readonly type?: string;
}

/** A route, as data: routing, validation, the OpenAPI document and the API page are made from it. */
export interface RouteSpec {
  /** Parameters in braces, as OpenAPI writes them. */
  readonly path: string;
  readonly tag: 'Re-ranking' | 'Searching' | 'Catalogue' | 'Service';
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: Readonly<Record<string, string>>;
  /** The body of a POST request; routes without one are for GET. */
  readonly request?: z.ZodType;
  readonly answers: Readonly<Record<number, AnswerSpec>>;
  /** Needs no API key. */
  readonly open?: true;
  /** Runs models: may be refused (413, 429, 503) or miss its deadline (504). */
  readonly scores?: true;
  /** A request to try, shown in the documentation. */
  readonly example?: unknown;
}

const ok = (description: string, schema: z.ZodType) => ({ 200: { description, schema } });
const notFound = (description: string) => ({ 404: { description, schema: schemas.problem } });

const query = 'why do suspension bridges sway';
const documents = ['Wind can set a light deck swinging.', 'The bridge was painted red.'];

const routes = {
  rerankV2: {
    path: '/v2/rerank',
    tag: 'Re-ranking',
    summary: 'Re-ranks documents: the shape of Cohere v2',
    request: schemas.cohereV2Request,
    answers: ok('The ranking.', schemas.cohereV2Answer),
    scores: true,
    example: { model: 'bert-qe-SST', query, documents, top_n: 1 },
  },
  rerankV1: {
    path: '/v1/rerank',
    tag: 'Re-ranking',
    summary: 'Re-ranks documents: the shapes of Cohere v1, Jina and Voyage',
    description:
      'With `top_k` the answer is that of Voyage (`data`), with `top_n`, `rank_fields` or `max_chunks_per_doc` that of ' +
      'Cohere and Jina (`results`); where the request leaves it open, the answer has both.',
    request: schemas.v1Request,
    answers: ok('The ranking.', schemas.v1Answer),
    scores: true,
    example: { model: 'small', query, documents, return_documents: true },
  },
  rerank: {
    path: '/rerank',
    tag: 'Re-ranking',
    summary: 'Re-ranks documents: the shape of TEI (`texts`), or of Cohere v1 (`documents`)',
    request: schemas.anyRerankRequest,
    answers: ok('The ranking: a bare array for `texts`.', schemas.anyRerankAnswer),
    scores: true,
    example: { query, texts: documents, raw_scores: true },
  },
  search: {
    path: '/search',
    tag: 'Searching',
    summary: 'Searches the loaded index and re-ranks what it finds, in three phases',
    description:
      'With `Accept: text/event-stream` the answer comes as server-sent events: `initial`, any number of `progress`, ' +
      'then `result` or `error`.',
    request: schemas.searchRequest,
    answers: ok('The ranking, or a stream of events that ends with it.', schemas.searchAnswer),
    scores: true,
    example: { query, model: 'bert-qe-SST', depth: 30, explain: true },
  },
  variants: {
    path: '/variants',
    tag: 'Catalogue',
    summary: 'The models that requests can name, and what they cost',
    answers: ok('All variants.', schemas.variantsAnswer),
  },
  modelsV1: {
    path: '/v1/models',
    tag: 'Catalogue',
    summary: 'The names of models, as OpenAI and Cohere list them',
    description: "Cohere's `?endpoint=` is heeded: endpoints other than `rerank` have no models here.",
    answers: ok('All names.', schemas.modelsAnswer),
  },
  modelV1: {
    path: '/v1/models/{model}',
    tag: 'Catalogue',
    summary: 'One model, under the name that is asked for',
    parameters: { model: 'Its name, percent-encoded.' },
    answers: {
      ...ok('The model that requests with this name get.', schemas.listedModel),
      ...notFound('Requests with this name get none.'),
    },
  },
  models: {
    path: '/models',
    tag: 'Catalogue',
    summary: 'The same as `/v1/models`',
    answers: ok('All names.', schemas.modelsAnswer),
  },
  info: {
    path: '/info',
    tag: 'Catalogue',
    summary: 'What this server has loaded, and its limits',
    answers: ok('Collection, queries, limits.', schemas.infoAnswer),
  },
  queries: {
    path: '/queries',
    tag: 'Catalogue',
    summary: 'The loaded queries',
    answers: ok('All of them.', schemas.queriesAnswer),
  },
  document: {
    path: '/documents/{id}',
    tag: 'Catalogue',
    summary: 'A document of the index',
    parameters: { id: 'Its id, percent-encoded.' },
    answers: {
      ...ok('The document.', schemas.documentAnswer),
      ...notFound('The index has no such document.'),
    },
  },
  experiments: {
    path: '/experiments',
    tag: 'Catalogue',
    summary: 'The finished experiments',
    answers: ok('Latest first.', schemas.experimentsAnswer),
  },
  experimentFile: {
    path: '/experiments/{name}/{file}',
    tag: 'Catalogue',
    summary: 'The report of an experiment, its tables and figures',
    parameters: {
      name: 'The name of the experiment.',
      file: '`report.html`, `report.md`, or a path in `tables/` or `figures/`.',
    },
    answers: { 200: { description: 'The file.', type: '*/*' }, ...notFound('There is no such file.') },
  },
  health: {
    path: '/health',
    tag: 'Service',
    summary: 'Whether the default variant can score: a pair is run through its models',
    answers: {
      ...ok('It scored.', schemas.healthAnswer),
      503: { description: 'It could not.', schema: schemas.healthAnswer },
    },
    open: true,
  },
  ready: {
    path: '/ready',
    tag: 'Service',
    summary: 'Whether new requests are taken',
    answers: {
      ...ok('They are.', schemas.readyAnswer),
      503: { description: 'The server is finishing its last requests.', schema: schemas.readyAnswer },
    },
    open: true,
  },
  metrics: {
    path: '/metrics',
    tag: 'Service',
    summary: 'Counters and gauges for Prometheus',
    answers: { 200: { description: 'Text exposition format 0.0.4.', type: 'text/plain' } },
  },
  openapi: {
    path: '/openapi.json',
    tag: 'Service',
    summary: 'This description, for programs',
    answers: { 200: { description: 'OpenAPI 3.1.', type: 'application/json' } },
    open: true,
  },
  docs: {
    path: '/docs',
    tag: 'Service',
    summary: 'This description, for people',
    answers: { 200: { description: 'A page.', type: 'text/html' } },
    open: true,
  },
} satisfies Readonly<Record<string, RouteSpec>>;

export type RouteName = keyof typeof routes;

/** The routes with their names. */
export const namedRoutes = Object.entries(routes) as [RouteName, RouteSpec][];

/** The method that a route takes. */
export function methodOf({ request }: RouteSpec): 'GET' | 'POST' {
  return request ? 'POST' : 'GET';
}
