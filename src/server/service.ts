import type { Collection, Measurements, VariantNames, ServedVariant, Topics } from './catalogue/index.js';
import {
  HttpProblem,
  type Access,
  type BodyReader,
  type ParseQueue,
  type RequestContext,
  type UnsentAnswers,
} from './http/index.js';
import type { ApiDescription } from './api-page.js';
import type { ServiceLimits } from './limits.js';
import type { ServerLog } from './log.js';
import type { MethodDefaults } from './method-defaults.js';
import type { ServerMetrics } from './metrics/server-metrics.js';
import type { HealthCheck } from './model-probe.js';
import type { Admission, Scheduler } from './scheduling/index.js';

/** Everything that the routes work with. */
export interface Service {
  readonly version: string;
  readonly access: Access;
  readonly limits: ServiceLimits;
  readonly models: VariantNames;
  /** The start of the server. */
  readonly started: Date;
  readonly methodDefaults: MethodDefaults;
  /** Documents that a search re-ranks unless it sets a number. */
  readonly depth: number;
  readonly collection: Collection | undefined;
  readonly topics: Topics;
  readonly scheduler: Scheduler;
  readonly admission: Admission;
  readonly bodies: BodyReader;
  readonly parseQueue: ParseQueue;
  readonly unsent: UnsentAnswers;
  readonly measurements: Measurements;
  readonly health: HealthCheck;
  readonly description: ApiDescription;
  readonly metrics: ServerMetrics;
  readonly log: ServerLog;
  /** Folder of the results of experiments. */
  readonly experiments: string | undefined;
  /** Folder of the built page. */
  readonly page: string;
  readonly activeRequests: Set<RequestContext>;
  /** Set when the server stops: no new work is taken. */
  draining: boolean;
}

/** The variant that a request names, or the default. */
export function variantOf({ models }: Service, name: string | undefined): ServedVariant {
  return models.find(name) ?? unknownModel(models, name!);
}

/** The variant for a client of another service, which may send any name. */
export function clientVariantOf({ models }: Service, name: string | undefined): ServedVariant {
  return models.findForClient(name) ?? unknownModel(models, name!);
}

function unknownModel({ variants }: VariantNames, name: string): never {
  const known = variants.map(({ id }) => id).join(', ');
  throw new HttpProblem(
    404,
    'not_found',
    `There is no model "${name}" here; there is ${known} (GET /variants).`,
  );
}
