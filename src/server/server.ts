import type { Server as HttpServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import type { Qrels, Query } from '../collection/index.js';
import { settingsFrom, type BertQEOptions } from '../expansion/index.js';
import { createApp } from './app.js';
import {
  loadVariants,
  Measurements,
  Topics,
  type Collection,
  type LoadModelsOptions,
} from './catalogue/index.js';
import { answerDirectly } from './direct.js';
import type { DoorOptions } from './door.js';
import { ApiKeys, isLoopback } from './http/index.js';
import { defaultPatience, listen, type Patience } from './listen.js';
import type { ServerLog } from './log.js';
import { Methods } from './methods.js';
import { ServerMetrics } from './metrics/index.js';
import { Admission, Scheduler } from './scheduling/index.js';
import type { Service, ServiceLimits } from './service.js';
import { rehearse } from './rehearsal.js';
import { Turns } from './turns.js';
import { warmUp } from './warm-up.js';

/** What is served, to whom, and within which limits. */
export interface ServerOptions extends LoadModelsOptions {
  /** What `/info`, `/openapi.json` and `/docs` call the version. */
  readonly version: string;
  readonly log: ServerLog;
  /** Where to listen (`127.0.0.1`). */
  readonly host?: string;
  /** 0 takes a free one (8080). */
  readonly port?: number;
  /** Parameters of the method where a request sets none. */
  readonly method?: BertQEOptions;
  /** Documents of a search that are re-ranked where it does not say (100). */
  readonly depth?: number;
  /** What is searched; without it the server re-ranks what it is sent. */
  readonly collection?: Collection;
  /** Queries that the page offers. */
  readonly queries?: readonly Query[];
  /** Judgements of those queries: relevant documents are marked. */
  readonly qrels?: Qrels;
  /** Folder of the results of experiments. */
  readonly experiments?: string;
  /** Folder of the built page (the package's own). */
  readonly page?: string;
  /** What differs from {@link defaultLimits}. */
  readonly limits?: Partial<ServiceLimits>;
  /** How long slow clients are waited for. */
  readonly patience?: Partial<Patience>;
  /** Whoever has one of these may ask; everybody where there are none. */
  readonly keys?: readonly string[];
  /** Origins whose pages may ask; `*` is any (none). */
  readonly cors?: readonly string[];
  /** Takes the client's address from `X-Forwarded-For` (false). */
  readonly trustProxy?: boolean;
}

/** What a server takes on where its options say nothing else. */
export const defaultLimits: ServiceLimits = {
  bodyBytes: 16 * 1024 * 1024,
  requestTokens: 4_000_000,
  queueTokens: 8_000_000,
  deadlineMs: 30_000,
};

/** A running server. */
export class RerankServer {
  private constructor(
    /** Where it answers. */
    readonly url: string,
    private readonly http: HttpServer,
    private readonly service: Service,
    private readonly log: ServerLog,
    private readonly closeModels: () => Promise<void>,
  ) {}

  /** Loads the models, proves that they score, then opens the port. */
  static async start(options: ServerOptions): Promise<RerankServer> {
    const { host = '127.0.0.1', port = 8080, log } = options;
    settingsFrom(options.method ?? {});
    const models = await loadVariants(options);
    try {
      const service = serviceFor(options, models.variants);
      await warmUp(service);
      await rehearse(service);
      const gate: DoorOptions = {
        keys: new ApiKeys(options.keys ?? []),
        cors: options.cors ?? [],
        isLocal: isLoopback(host),
        trustProxy: options.trustProxy ?? false,
        log,
      };
      const opened = await listen(
        createApp(service, gate),
        (request, response) => {
          service.turns.arrived();
          return answerDirectly(request, response, service, gate);
        },
        host,
        port,
        { ...defaultPatience, ...options.patience },
      );
      opened.server.on('connection', () => service.turns.arrived());
      const url = `http://${host.includes(':') ? `[${host}]` : host}:${opened.port}`;
      log.say('listening', { url, models: models.variants.map(({ id }) => id) });
      return new RerankServer(url, opened.server, service, log, models.close);
    } catch (error) {
      await models.close();
      throw error;
    }
  }

  /**
   * Takes no new work, finishes what was admitted, then closes; what is not done after `patienceMs` is given up, with
   * the status that says so.
   */
  async stop(patienceMs = 30_000): Promise<void> {
    const { service, http, log } = this;
    service.draining = true;
    log.say('draining', { requests: service.lives.size });
    const closed = new Promise<void>((resolve) => http.close(() => resolve()));
    http.closeIdleConnections();
    const giveUp = setTimeout(() => {
      for (const life of service.lives) life.end('stop');
    }, patienceMs);
    // Connections whose request was answered before the draining began become idle one by one.
    const sweep = setInterval(() => http.closeIdleConnections(), 50);
    // Those that never finish their request have nothing to lose.
    const cut = setTimeout(() => http.closeAllConnections(), patienceMs + 2000);
    await closed;
    clearTimeout(giveUp);
    clearInterval(sweep);
    clearTimeout(cut);
    await this.closeModels();
    service.metrics.close();
    log.say('stopped');
    log.flush();
  }
}

function serviceFor(options: ServerOptions, variants: Service['variants']): Service {
  const limits = { ...defaultLimits, ...options.limits };
  const lives: Service['lives'] = new Set();
  const scheduler = new Scheduler((report) => metrics.round(report));
  const admission = new Admission(limits, scheduler.throughput);
  const metrics = new ServerMetrics({
    pendingTokens: () => admission.pendingTokens,
    claimedTokens: () => admission.claimedTokens,
    openRequests: () => lives.size,
    tokensPerSecond: () => scheduler.throughput.perSecond ?? 0,
  });
  return {
    version: options.version,
    variants,
    methods: new Methods(options.method ?? {}),
    depth: options.depth ?? 100,
    collection: options.collection,
    topics: new Topics(options.queries, options.qrels),
    scheduler,
    admission,
    turns: new Turns(),
    measurements: new Measurements(),
    metrics,
    limits,
    experiments: options.experiments,
    page: options.page ?? fileURLToPath(new URL('../../dist/web/', import.meta.url)),
    lives,
    draining: false,
  };
}
