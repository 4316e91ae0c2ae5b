import type { Server as HttpServer } from 'node:http';
import { type OptionNames, refuseUnknownOptions } from '../common/known-options.js';
import { pageFolder } from '../common/package-files.js';
import type { Qrels, Query } from '../collection/index.js';
import { pause } from '../common/pause.js';
import { settingsFrom, type BertQEOptions } from '../expansion/index.js';
import { ApiDescription } from './api-page.js';
import { Application } from './application.js';
import {
  loadVariants,
  Measurements,
  VariantNames,
  Topics,
  type Collection,
  type LoadModelsOptions,
} from './catalogue/index.js';
import { Access, ApiKeys, BodyReader, isLoopback, listen, ParseQueue, UnsentAnswers } from './http/index.js';
import {
  defaultLimits,
  defaultTimeouts,
  longestTimerMs,
  type HttpTimeouts,
  type ServiceLimits,
} from './limits.js';
import type { ServerLog } from './log.js';
import { MethodDefaults } from './method-defaults.js';
import { ServerMetrics } from './metrics/server-metrics.js';
import { HealthCheck, probeModels } from './model-probe.js';
import { Admission, Scheduler } from './scheduling/index.js';
import type { Service } from './service.js';

/** Options of {@link RerankServer.start}. */
export interface ServerOptions extends LoadModelsOptions {
  /** The version that `/info`, `/openapi.json` and `/docs` show. */
  readonly version: string;
  readonly log: ServerLog;
  /** The address to listen on (`127.0.0.1`). */
  readonly host?: string;
  /** 0 takes a free one (8080). */
  readonly port?: number;
  /** Parameters of the method for requests that set none. */
  readonly method?: BertQEOptions;
  /** Documents that a search re-ranks unless it sets a number (100). */
  readonly depth?: number;
  /** The collection to search. Without it the server re-ranks what it is sent. */
  readonly collection?: Collection;
  /** Queries that the page offers. */
  readonly queries?: readonly Query[];
  /** Judgements of those queries: relevant documents are marked. */
  readonly qrels?: Qrels;
  /** Folder of the results of experiments. */
  readonly experiments?: string;
  /** Folder of the built page (the package's own). */
  readonly page?: string;
  /** Changes to {@link defaultLimits}. */
  readonly limits?: Partial<ServiceLimits>;
  /** Time limits of slow connections. */
  readonly timeouts?: Partial<HttpTimeouts>;
  /** API keys of those who may ask; everybody may if there are none. */
  readonly keys?: readonly string[];
  /** Origins whose pages may ask; `*` is any (none). */
  readonly cors?: readonly string[];
  /** Takes the client's address from `X-Forwarded-For` (false). */
  readonly trustProxy?: boolean;
}

const SERVER_OPTIONS: OptionNames<ServerOptions> = {
  models: true,
  aliases: true,
  strictModels: true,
  device: true,
  precision: true,
  version: true,
  log: true,
  host: true,
  port: true,
  method: true,
  depth: true,
  collection: true,
  queries: true,
  qrels: true,
  experiments: true,
  page: true,
  limits: true,
  timeouts: true,
  keys: true,
  cors: true,
  trustProxy: true,
};

function namesOf(defaults: object): Record<string, true> {
  return Object.fromEntries(Object.keys(defaults).map((name) => [name, true]));
}

/** Milliseconds after the end of draining at which connections with an unfinished request are cut. */
const cutAfterMs = 2000;

/** Milliseconds between two looks for requests that are finished and connections that are idle. */
const sweepMs = 50;

/** A running server. */
export class RerankServer {
  private constructor(
    /** Its address. */
    readonly url: string,
    private readonly http: HttpServer,
    private readonly service: Service,
    private readonly closeModels: () => Promise<void>,
  ) {}

  /** Loads the models, checks that they score, and opens the port. */
  static async start(options: ServerOptions): Promise<RerankServer> {
    refuseUnknownOptions('RerankServer.start', options, SERVER_OPTIONS);
    refuseUnknownOptions('limits', options.limits ?? {}, namesOf(defaultLimits));
    refuseUnknownOptions('timeouts', options.timeouts ?? {}, namesOf(defaultTimeouts));
    const { host = '127.0.0.1', port = 8080, log } = options;
    settingsFrom(options.method ?? {});
    const models = await loadVariants(options);
    try {
      const timeouts = { ...defaultTimeouts, ...options.timeouts };
      const service = serviceFor(options, models.variants, isLoopback(host), timeouts);
      await probeModels({ scheduler: service.scheduler, variants: models.variants });
      const { listener } = new Application(service);
      const opened = await listen(listener, host, port, timeouts);
      opened.server.on('connection', () => service.parseQueue.noteArrival());
      const url = `http://${host.includes(':') ? `[${host}]` : host}:${opened.port}`;
      log.say('listening', { url, models: models.variants.map(({ id }) => id) });
      return new RerankServer(url, opened.server, service, models.close);
    } catch (error) {
      await models.close();
      throw error;
    }
  }

  /**
   * Takes no new work, finishes the admitted requests, and closes. Until they are finished, new requests are answered
   * with 503. After `drainMs` the rest of the admitted ones is too.
   */
  async stop(drainMs = 30_000): Promise<void> {
    const { service, http } = this;
    const { activeRequests, log, metrics, unsent } = service;
    service.draining = true;
    log.say('draining', { requests: activeRequests.size });
    const giveUp = setTimeout(
      () => {
        for (const context of activeRequests) context.end('stop');
      },
      Math.min(drainMs, longestTimerMs),
    );
    const cut = setTimeout(() => http.closeAllConnections(), Math.min(drainMs + cutAfterMs, longestTimerMs));
    const admitted = [...activeRequests];
    while (admitted.some((context) => activeRequests.has(context))) await pause(sweepMs);
    const closed = new Promise<void>((resolve) => http.close(() => resolve()));
    http.closeIdleConnections();
    // Connections whose request was answered before become idle one by one.
    const sweep = setInterval(() => http.closeIdleConnections(), sweepMs);
    await closed;
    clearTimeout(giveUp);
    clearInterval(sweep);
    clearTimeout(cut);
    unsent.close();
    await this.closeModels();
    metrics.close();
    log.say('stopped');
    log.flush();
  }
}

function serviceFor(
  options: ServerOptions,
  variants: VariantNames['variants'],
  isLocal: boolean,
  { answerMs }: HttpTimeouts,
): Service {
  const { version, log, cors = [], trustProxy = false } = options;
  const keys = new ApiKeys(options.keys ?? []);
  const given = { ...defaultLimits, ...options.limits };
  const limits = { ...given, deadlineMs: Math.min(given.deadlineMs, longestTimerMs) };
  const activeRequests: Service['activeRequests'] = new Set();
  const scheduler = new Scheduler((report) => metrics.round(report));
  const admission = new Admission(limits, scheduler.throughput);
  const metrics = new ServerMetrics({
    admittedTokens: () => admission.admittedTokens,
    estimatedTokens: () => admission.estimatedTokens,
    activeRequests: () => activeRequests.size,
    tokensPerSecond: () => scheduler.throughput.perSecond ?? 0,
  });
  return {
    version,
    access: new Access({ keys, isLocal, trustProxy, cors }),
    limits,
    models: new VariantNames(variants, {
      strict: options.strictModels ?? false,
      onUnknown: (model, { id }) => log.say('unknown model', { model, served: id }),
    }),
    started: new Date(),
    methodDefaults: new MethodDefaults(options.method ?? {}),
    depth: options.depth ?? 100,
    collection: options.collection,
    topics: new Topics(options.queries, options.qrels),
    scheduler,
    admission,
    bodies: new BodyReader(limits),
    parseQueue: new ParseQueue(),
    unsent: new UnsentAnswers(answerMs),
    measurements: new Measurements(),
    health: new HealthCheck({ scheduler, variants }),
    description: new ApiDescription(version, !keys.isEmpty),
    metrics,
    log,
    experiments: options.experiments,
    page: options.page ?? pageFolder,
    activeRequests,
    draining: false,
  };
}
