import { logOdds } from '../../bert/index.js';
import { BertQeError, throwIfAborted } from '../../common/errors.js';
import { getOrInsert } from '../../common/get-or-insert.js';
import { Job, type JobRequest } from './job.js';
import { Round } from './round.js';
import type { ServedModel } from './served-model.js';
import { Throughput } from './throughput.js';
import { tokenCounts } from './token-counts.js';

/** The fewest rounds under way: one that the workers score, and the next one, so that they never wait. */
const roundsInFlight = 2;

/** The fewest seconds of work under way. With fast models, the main thread may not run again sooner. */
const secondsInFlight = 0.05;

/** The most seconds that a round may take, because a new request waits for the rounds under way. */
const secondsInRound = 0.05;

/** The same for clients with much work while there are other clients, whose requests wait for these rounds. */
const secondsInBulkRound = 0.005;

/** The number of such rounds that a client may have waiting before it counts as a client with much work. */
const fewRounds = 2;

/** Seconds of work by which a client without recent requests comes before others, less the work of its new job. */
const headStart = 0.1;

/** Milliseconds for which the work given to a client is remembered after its last job. */
const knownForMs = 5000;

/** A finished round, for the metrics. */
export interface RoundReport {
  readonly model: ServedModel;
  readonly pairs: number;
  readonly tokens: number;
  readonly jobs: number;
  readonly seconds: number;
}

/** The jobs of one client, and the work that it has been given. */
interface ClientQueue {
  readonly name: string;
  readonly jobs: Job[];
  served: number;
  /** True for a client with much work: its rounds are small and have no pairs of clients with less. */
  isBulk: boolean;
}

/**
 * Shares the models among requests. Work goes out in small rounds, and each pair of a round is taken from the client
 * that has been given the least: a request of ten thousand documents does not block one of ten. Clients with much work
 * have smaller rounds of their own, so that little of it is ahead of a new request. The jobs of a client run in the order
 * of their arrival. A cancelled job costs nothing from the next round on.
 */
export class Scheduler {
  readonly throughput = new Throughput();
  readonly #clients = new Map<string, ClientQueue>();
  /** The work given to clients that have no job now, in the order in which their last jobs ended. */
  readonly #known = new Map<string, { readonly served: number; readonly at: number }>();
  readonly #running = new Set<Round>();
  /** The work given to the least served waiting client. */
  #virtualTime = 0;

  constructor(private readonly onRound?: (report: RoundReport) => void) {}

  /** The log-odds of the pairs, in their order. */
  async run(request: JobRequest): Promise<Float64Array> {
    const { signal } = request;
    throwIfAborted(signal);
    const tokens = await tokenCounts(request.model.scorer, request.pairs, signal);
    request.onCounted?.(tokens);
    const job = new Job(request, tokens);
    if (request.pairs.length === 0) return job.odds;
    throwIfAborted(signal);
    const cancel = () => this.#cancel(job, signal!);
    signal?.addEventListener('abort', cancel, { once: true });
    this.#enqueue(job);
    this.#dispatch();
    try {
      return await job.answer;
    } finally {
      signal?.removeEventListener('abort', cancel);
    }
  }

  #enqueue(job: Job): void {
    const name = job.request.client;
    const queue = getOrInsert(this.#clients, name, () => ({
      name,
      jobs: [],
      served: this.#startOf(job),
      isBulk: false,
    }));
    queue.jobs.push(job);
  }

  /** The work that counts as given to a client when its first job is queued. */
  #startOf({ request: { client }, workLeft }: Job): number {
    const ahead = Math.max(0, headStart * (this.throughput.perSecond ?? 0) - workLeft);
    const newcomer = this.#virtualTime - ahead;
    const { served = newcomer } = this.#known.get(client) ?? {};
    this.#known.delete(client);
    return Math.max(served, newcomer);
  }

  #cancel(job: Job, signal: AbortSignal): void {
    job.fail(new BertQeError('aborted', 'The request was given up.', { cause: signal.reason }));
    this.#forgetFinished();
    for (const round of this.#running) round.noticeCancelled();
  }

  #dispatch(): void {
    for (;;) {
      this.#forgetKnown();
      for (const client of this.#clients.values()) client.isBulk = this.#isBulk(client);
      const first = this.#leastServed();
      if (!first || !this.#hasRoom(first)) return;
      const round = this.#nextRound(first);
      this.#running.add(round);
      void this.#runRound(round).finally(() => {
        this.#running.delete(round);
        this.#dispatch();
      });
    }
  }

  #hasRoom({ isBulk }: ClientQueue): boolean {
    if (this.#running.size < roundsInFlight) return true;
    if (isBulk) return false;
    let work = 0;
    for (const { tokens, model } of this.#running) work += tokens * model.weight;
    return work < secondsInFlight * (this.throughput.perSecond ?? 0);
  }

  /** True for a client with much work, unless it has been the only client of late. */
  #isBulk({ jobs }: ClientQueue): boolean {
    if (this.#clients.size === 1 && this.#known.size === 0) return false;
    let few = 0;
    let work = 0;
    for (const { workLeft, request } of jobs) {
      work += workLeft;
      few = Math.max(few, fewRounds * this.#roundWork(request.model, secondsInRound));
    }
    return work > few;
  }

  /** A round for the model that the least served client waits for. */
  #nextRound(first: ClientQueue): Round {
    this.#virtualTime = Math.max(this.#virtualTime, first.served);
    const { model } = nextJob(first, undefined)!.request;
    const { isBulk } = first;
    const round = new Round(model);
    this.#fill(round, this.#roundWork(model, isBulk ? secondsInBulkRound : secondsInRound), isBulk);
    this.#forgetFinished();
    return round;
  }

  /** Takes pairs of the least served client, with much work or without, one by one, until the round is full. */
  #fill(round: Round, most: number, isBulk: boolean): void {
    const { model } = round;
    const isContended = this.#clients.size > 1;
    let client: ClientQueue | undefined;
    let job: Job | undefined;
    for (let left = most; left > 0;) {
      if (isContended || !job?.hasMore) {
        client = this.#leastServed(model, isBulk);
        job = client && nextJob(client, model);
      }
      if (!client || !job) return;
      const work = job.nextWork;
      // One pair too many would become a batch of its own.
      if (work > left && round.tokens > 0) return;
      round.add(job, job.take());
      client.served += work;
      left -= work;
    }
  }

  #roundWork(model: ServedModel, seconds: number): number {
    const most = model.fullRoundTokens * model.weight;
    const least = model.roundTokens * model.weight;
    return Math.min(Math.max(least, seconds * (this.throughput.perSecond ?? 0)), most);
  }

  /** The client with work left (for this model, and much of it or not) that has been given the least. */
  #leastServed(model?: ServedModel, isBulk?: boolean): ClientQueue | undefined {
    let least: ClientQueue | undefined;
    for (const client of this.#clients.values()) {
      if (least !== undefined && client.served >= least.served) continue;
      if ((isBulk === undefined || client.isBulk === isBulk) && nextJob(client, model)) least = client;
    }
    return least;
  }

  #forgetFinished(): void {
    const now = performance.now();
    for (const [name, client] of this.#clients) {
      const waiting = client.jobs.filter((job) => job.hasMore);
      if (waiting.length === client.jobs.length) continue;
      client.jobs.splice(0, client.jobs.length, ...waiting);
      if (waiting.length > 0) continue;
      this.#clients.delete(name);
      this.#known.set(name, { served: client.served, at: now });
    }
  }

  #forgetKnown(): void {
    const now = performance.now();
    for (const [name, { at }] of this.#known) {
      if (now - at < knownForMs) return;
      this.#known.delete(name);
    }
  }

  async #runRound(round: Round): Promise<void> {
    try {
      await this.#score(round);
    } catch (error) {
      if (round.jobs.length === 1 || round.isAbandoned) {
        for (const job of round.jobs) job.fail(error);
        return;
      }
      // The model may have failed on a text of one job; the others must not pay for it.
      for (const alone of round.split())
        await this.#score(alone).catch((own: unknown) => alone.jobs[0].fail(own));
    }
  }

  async #score(round: Round): Promise<void> {
    const { model, pairs, tokens, signal } = round;
    const started = performance.now();
    const logits = await model.scorer.scoreLogits(pairs, { signal });
    const ended = performance.now();
    this.throughput.record(tokens * model.weight, started, ended);
    round.deliver(logOdds(logits));
    // The jobs' answers come first.
    setImmediate(() =>
      this.onRound?.({
        model,
        pairs: pairs.length,
        tokens,
        jobs: round.jobs.length,
        seconds: (ended - started) / 1000,
      }),
    );
  }
}

function nextJob({ jobs }: ClientQueue, model: ServedModel | undefined): Job | undefined {
  return jobs.find((job) => job.hasMore && (model === undefined || job.request.model === model));
}
