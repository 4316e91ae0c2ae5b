import {
  findVariant,
  type Collection,
  type Measurements,
  type Topics,
  type Variant,
} from './catalogue/index.js';
import { HttpProblem, type RequestLife } from './http/index.js';
import type { Methods } from './methods.js';
import type { ServerMetrics } from './metrics/index.js';
import type { Admission, Scheduler } from './scheduling/index.js';
import type { Turns } from './turns.js';

/** How much the server takes. */
export interface ServiceLimits {
  readonly bodyBytes: number;
  readonly requestTokens: number;
  readonly queueTokens: number;
  /** Milliseconds that a request may take; a client may ask for less. */
  readonly deadlineMs: number;
}

/** Everything that the routes work with. */
export interface Service {
  readonly version: string;
  /** The first is the default. */
  readonly variants: readonly Variant[];
  readonly methods: Methods;
  /** Documents of a search that are re-ranked where it does not say. */
  readonly depth: number;
  readonly collection: Collection | undefined;
  readonly topics: Topics;
  readonly scheduler: Scheduler;
  readonly admission: Admission;
  readonly turns: Turns;
  readonly measurements: Measurements;
  readonly metrics: ServerMetrics;
  readonly limits: ServiceLimits;
  /** Folder of experiments' results. */
  readonly experiments: string | undefined;
  /** Folder of the built page. */
  readonly page: string;
  /** Requests that are being worked on. */
  readonly lives: Set<RequestLife>;
  /** Set when the server is to stop: no new work is taken. */
  draining: boolean;
}

/** The variant that a request names, or the default. */
export function variantOf({ variants }: Service, name: string | undefined): Variant {
  if (name === undefined) return variants[0];
  const variant = findVariant(variants, name);
  if (variant) return variant;
  const known = variants.map(({ id }) => id).join(', ');
  throw new HttpProblem(
    404,
    'not_found',
    `There is no model "${name}" here; there is ${known} (GET /variants).`,
  );
}
