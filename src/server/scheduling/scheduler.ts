import { BertQeError, throwIfAborted } from '../../common/errors.js';
import { logOdds } from '../../bert/index.js';
import type { Engine } from './engine.js';
import { Job, type JobRequest } from './job.js';
import { measure } from './measure.js';
import { Round } from './round.js';
import { Throughput } from './throughput.js';

/** One for the workers and one that waits for them, so that they never wait for us… */
const roundsInFlight = 2;

/** …and for fast models as many as take this long: the main thread may not get its turn sooner. */
const secondsInFlight = 0.05;

/** A round may grow as long as it takes no longer than this: a newcomer waits for what is in flight. */
const secondsInRound = 0.05;

/** A round that was run, for the metrics. */
export interface RoundReport {
  readonly engine: Engine;
  readonly pairs: number;
  readonly tokens: number;
  readonly calls: number;
  readonly seconds: number;
}

/** The calls of one client, and the work that was done for it since it came. */
interface ClientQueue {
  readonly name: string;
  readonly jobs: Job[];
  served: number;
}

/**
 * Shares the models among requests. Work goes out in small rounds, and each pair of a round is taken from the
 * client that has had the least so far: whoever asks for ten thousand documents does not keep waiting whoever asks
 * for ten. Within a client, first come, first served. A call that is given up costs nothing from the next round on.
 */
export class Scheduler {
  readonly throughput = new Throughput();
  readonly #clients = new Map<string, ClientQueue>();
  readonly #running = new Set<Round>();
  readonly #onRound: ((report: RoundReport) => void) | undefined;
  /** What the least served of the waiting clients has had; newcomers start from here. */
  #virtualTime = 0;

  constructor(onRound?: (report: RoundReport) => void) {
    this.#onRound = onRound;
  }

  /** The log-odds of the pairs, in their order. */
  async run(request: JobRequest): Promise<Float64Array> {
    const { signal } = request;
    throwIfAborted(signal);
    const measured = measure(request.engine.meter, request.pairs);
    const lengths = measured instanceof Uint32Array ? measured : await measured;
    request.onMeasured?.(lengths);
    const job = new Job(request, lengths);
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
    const queue = this.#clients.get(name) ?? { name, jobs: [], served: this.#virtualTime };
    queue.jobs.push(job);
    this.#clients.set(name, queue);
  }

  #cancel(job: Job, signal: AbortSignal): void {
    job.fail(new BertQeError('aborted', 'The request was given up.', { cause: signal.reason }));
    this.#forgetFinished();
    for (const round of this.#running) round.noticeCancelled();
  }

  #dispatch(): void {
    while (this.#hasRoom()) {
      const round = this.#nextRound();
      if (!round) return;
      this.#running.add(round);
      void this.#carryOut(round).finally(() => {
        this.#running.delete(round);
        this.#dispatch();
      });
    }
  }

  #hasRoom(): boolean {
    if (this.#running.size < roundsInFlight) return true;
    let work = 0;
    for (const { tokens, engine } of this.#running) work += tokens * engine.weight;
    return work < secondsInFlight * (this.throughput.perSecond ?? 0);
  }

  /** A round for the model that the least served client waits for: a lone call that fits goes as it is. */
  #nextRound(): Round | undefined {
    const first = this.#leastServed();
    if (!first) return undefined;
    this.#virtualTime = first.served;
    const next = nextJob(first, undefined)!;
    const { engine } = next.request;
    const round = new Round(engine);
    const most = this.#roundWork(engine);
    const work = next.workLeft;
    if (this.#clients.size === 1 && first.jobs.length === 1 && work <= most) {
      round.addRest(next);
      first.served += work;
    } else this.#fill(round, most);
    this.#forgetFinished();
    return round;
  }

  /** Takes pairs of the least served, one by one, until the round is full. */
  #fill(round: Round, most: number): void {
    const { engine } = round;
    const isContended = this.#clients.size > 1;
    let client: ClientQueue | undefined;
    let job: Job | undefined;
    for (let left = most; left > 0;) {
      if (isContended || !job?.hasMore) {
        client = this.#leastServed(engine);
        job = client && nextJob(client, engine);
      }
      if (!client || !job) return;
      const work = job.nextWork;
      // A pair too many would be a batch of its own.
      if (work > left && round.tokens > 0) return;
      round.add(job, job.take());
      client.served += work;
      left -= work;
    }
  }

  #roundWork({ roundTokens, fullRoundTokens = roundTokens, weight }: Engine): number {
    const [least, most] = [roundTokens * weight, fullRoundTokens * weight];
    return Math.min(Math.max(least, secondsInRound * (this.throughput.perSecond ?? 0)), most);
  }

  /** The client with work left (for this engine) that has had the least. */
  #leastServed(engine?: Engine): ClientQueue | undefined {
    let least: ClientQueue | undefined;
    for (const client of this.#clients.values()) {
      if ((least === undefined || client.served < least.served) && nextJob(client, engine)) least = client;
    }
    return least;
  }

  #forgetFinished(): void {
    for (const [name, client] of this.#clients) {
      const waiting = client.jobs.filter((job) => job.hasMore);
      if (waiting.length === client.jobs.length) continue;
      client.jobs.splice(0, client.jobs.length, ...waiting);
      if (waiting.length === 0) this.#clients.delete(name);
    }
  }

  async #carryOut(round: Round): Promise<void> {
    try {
      await this.#score(round);
    } catch (error) {
      const apart = round.apart();
      if (round.jobs.length === 1 || round.isAbandoned) {
        for (const job of round.jobs) job.fail(error);
        return;
      }
      // One call's text may have been what the model failed on; the others must not pay for it.
      for (const alone of apart) await this.#score(alone).catch((own: unknown) => alone.jobs[0].fail(own));
    }
  }

  async #score(round: Round): Promise<void> {
    const { engine, pairs, tokens, signal } = round;
    const started = performance.now();
    const logits = await engine.scorer.scoreLogits(pairs, signal ? { signal } : {});
    const ended = performance.now();
    this.throughput.record(tokens * engine.weight, started, ended);
    round.deliver(logOdds(logits));
    // Those who wait come first.
    setImmediate(() =>
      this.#onRound?.({
        engine,
        pairs: pairs.length,
        tokens,
        calls: round.jobs.length,
        seconds: (ended - started) / 1000,
      }),
    );
  }
}

function nextJob({ jobs }: ClientQueue, engine: Engine | undefined): Job | undefined {
  return jobs.find((job) => job.hasMore && (engine === undefined || job.request.engine === engine));
}
