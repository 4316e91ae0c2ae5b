import type { Collection, Measurements, VariantNames, Topics } from './catalogue/index.js';
import type { Access, BodyReader, ParseQueue, RequestContext, UnsentAnswers } from './http/index.js';
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
