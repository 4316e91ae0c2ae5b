import { z } from 'zod';
import { omitUndefined } from '../common/omit-undefined.js';
import { methodOf, namedRoutes, type AnswerSpec, type RouteSpec } from './routes.js';
import { problem, searchEvents } from './schemas/index.js';

type Json = Record<string, unknown>;

/** Descriptions of problems, by status. Each route lists those that can happen to it. */
const problems: Readonly<Record<number, string>> = {
  400: 'The body is not JSON in UTF-8.',
  401: 'The API key is missing or wrong (where the server has keys).',
  404: 'The name given as `model` is not served.',
  413: 'The body, or the work it asks for, is more than the server takes in one request.',
  415: 'The body is not declared as `application/json`.',
  422: 'The body is JSON, but a field is missing, unknown or out of range; the message names it.',
  429: 'The queue is full: try again after the seconds in `Retry-After`.',
  500: 'A model failed.',
  503: 'The server is stopping: try another, or again after the seconds in `Retry-After`.',
  504: 'The deadline came before the answer.',
};

/** The OpenAPI 3.1 document, made of the schemas that requests are checked with. */
export function openApiDocument(version: string, needsKey: boolean): Json {
  const paths: Json = {};
  for (const [name, route] of namedRoutes) {
    paths[route.path] = { [methodOf(route).toLowerCase()]: operation(name, route, needsKey) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'bert-qe',
      version,
      description:
        'Contextual query expansion for re-ranking: the re-rank APIs of Cohere, Jina, Voyage and TEI, and search.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    paths,
    components: needsKey ? { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } } : {},
  };
}

function operation(name: string, route: RouteSpec, needsKey: boolean): Json {
  const isLocked = needsKey && !route.open;
  const failures = route.request ? [400, 413, 415, 422] : [];
  if (route.scores) failures.push(404, 429, 500, 503, 504);
  if (isLocked) failures.push(401);
  const responses: Record<string, Json> = {};
  for (const [status, spec] of Object.entries(route.answers)) responses[status] = answer(name, spec, status);
  for (const status of failures.sort()) {
    responses[status] ??= answer(name, { description: problems[status], schema: problem }, String(status));
  }
  return omitUndefined({
    operationId: name,
    tags: [route.tag],
    summary: route.summary,
    description: route.description,
    parameters: route.parameters && parameters(route.parameters),
    requestBody: route.request && requestBody(route.request, route.example),
    responses,
    security: isLocked ? [{ key: [] }] : undefined,
  });
}

function parameters(named: Readonly<Record<string, string>>): Json[] {
  return Object.entries(named).map(([name, description]) => {
    return { name, in: 'path', required: true, description, schema: { type: 'string' } };
  });
}

function requestBody(request: z.ZodType, example: unknown): Json {
  const content = omitUndefined({ schema: jsonSchema(request, 'input'), example });
  return { required: true, content: { 'application/json': content } };
}

function answer(
  route: string,
  { description, schema, type = 'application/json' }: AnswerSpec,
  status: string,
): Json {
  const content: Json = { [type]: schema ? { schema: jsonSchema(schema, 'output') } : {} };
  if (route === 'search' && status === '200') {
    // The data of each event, under its name.
    content['text/event-stream'] = { schema: jsonSchema(z.object(searchEvents).partial(), 'output') };
  }
  return { description, content };
}

export function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
}
