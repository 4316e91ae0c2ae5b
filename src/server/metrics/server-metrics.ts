import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { RequestEntry } from '../log.js';
import type { RoundReport } from '../scheduling/index.js';
import { Counter, exposition, Gauge, Histogram } from './registry.js';

const secondBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const pairBounds = [1, 2, 4, 8, 16, 32, 64, 128, 256];

/** The values that gauges read. */
type Observed = Readonly<
  Record<'admittedTokens' | 'estimatedTokens' | 'activeRequests' | 'tokensPerSecond', () => number>
>;

/** The metrics of the server. */
export class ServerMetrics {
  readonly #measured = {
    requests: new Counter('bert_qe_requests_total', 'Requests answered, by route and status.'),
    seconds: new Histogram(
      'bert_qe_request_duration_seconds',
      'From the arrival of a request to its answer.',
      secondBounds,
    ),
    queue: new Histogram(
      'bert_qe_queue_seconds',
      'From the admission of a request to its first batch.',
      secondBounds,
    ),
    ended: new Counter('bert_qe_requests_ended_total', 'Requests given up before their answer, by reason.'),
    rounds: new Histogram('bert_qe_round_pairs', 'Pairs that went to a model together.', pairBounds),
    roundCalls: new Counter('bert_qe_round_calls_total', 'Requests that shared a round, summed over rounds.'),
    pairs: new Counter('bert_qe_pairs_total', 'Pairs scored, by model.'),
    tokens: new Counter('bert_qe_tokens_total', 'Tokens scored, by model.'),
    scoring: new Counter('bert_qe_scoring_seconds_total', 'Time of rounds, by model; rounds overlap.'),
  };
  readonly #gauges: readonly Gauge[];
  readonly #loop = monitorEventLoopDelay({ resolution: 100 });

  constructor({ admittedTokens, estimatedTokens, activeRequests, tokensPerSecond }: Observed) {
    this.#loop.enable();
    this.#gauges = [
      new Gauge('bert_qe_pending_tokens', 'Work that waits or runs, in tokens.', admittedTokens),
      new Gauge(
        'bert_qe_claimed_tokens',
        'Work that requests still being read are expected to be.',
        estimatedTokens,
      ),
      new Gauge('bert_qe_open_requests', 'Requests that are worked on.', activeRequests),
      new Gauge(
        'bert_qe_tokens_per_second',
        'Speed lately, in tokens of the largest model.',
        tokensPerSecond,
      ),
      new Gauge(
        'nodejs_eventloop_delay_p99_seconds',
        'How late timers of the main thread are.',
        () => (this.#loop.percentile(99) || 0) / 1e9,
      ),
      new Gauge('process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage.rss()),
      new Gauge(
        'process_cpu_seconds_total',
        'User and system time.',
        () => (process.cpuUsage().user + process.cpuUsage().system) / 1e6,
        'counter',
      ),
      new Gauge('process_start_time_seconds', 'Start of the process, since 1970.', () =>
        Math.round(Date.now() / 1000 - process.uptime()),
      ),
    ];
  }

  /** Counts a finished request. */
  request({ route, status, ms, queueMs }: RequestEntry, endReason: string | undefined): void {
    const { requests, seconds, queue, ended } = this.#measured;
    requests.add({ route, status: String(status) });
    seconds.observe(ms / 1000, { route });
    if (queueMs !== undefined) queue.observe(queueMs / 1000);
    if (endReason !== undefined) ended.add({ reason: endReason });
  }

  round({ model, pairs, tokens, jobs, seconds }: RoundReport): void {
    const labels = { model: model.name };
    const measured = this.#measured;
    measured.rounds.observe(pairs, labels);
    measured.roundCalls.add(labels, jobs);
    measured.pairs.add(labels, pairs);
    measured.tokens.add(labels, tokens);
    measured.scoring.add(labels, seconds);
  }

  render(): string {
    return exposition([...Object.values(this.#measured), ...this.#gauges]);
  }

  close(): void {
    this.#loop.disable();
  }
}
