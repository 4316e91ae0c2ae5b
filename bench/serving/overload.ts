import { availableParallelism } from 'node:os';
import { percentile } from './closed-loop.js';
import { residentBytes, type ServerProcess } from './contenders.js';
import { withCpuTime } from './cpu-time.js';
import { HttpClient, type Answer } from './http-client.js';
import { withPriority } from './priority.js';
import { StolenTime } from './stolen-time.js';
import { requests } from './workload.js';

/** The result of sending far more than a server can do. */
export interface Overload {
  readonly perSecond: number;
  readonly seconds: number;
  readonly sent: number;
  readonly answered: number;
  readonly refused: number;
  readonly late: number;
  readonly failed: number;
  readonly deadlineMs: number;
  readonly answeredMs: { readonly p50: number; readonly p99: number; readonly max: number };
  readonly refusedMs: { readonly p50: number; readonly p99: number; readonly max: number };
  /** Refusals that took longer than they should, and those of them that did so by more than was stolen from a core. */
  readonly slowRefusals: number;
  readonly slowRefusalsOfOurs: number;
  /** The share of the time that the serving thread ran, and that it had work but no core. */
  readonly serverRan: number;
  readonly serverWaited: number;
  /** The longest delay of the client in sending, in milliseconds; it may have read answers as late. */
  readonly clientLateMs: number;
  /** True where the client ran before everything else. */
  readonly clientHasPriority: boolean;
  /** The share of the cores' time that the machine beneath took. */
  readonly stolen: number;
  readonly memoryBefore: number;
  readonly memoryMost: number;
  readonly memoryAfter: number;
}

const tickMs = 5;

/** Within so many milliseconds a client should know that it is refused. */
const promptMs = 50;

/** An answer, and the moment it came. */
type Timed = Answer & { readonly at: number };

/** The requests sent, and the answers seen meanwhile. */
interface Sent {
  readonly answers: readonly Timed[];
  readonly stolen: StolenTime;
  readonly took: number;
  readonly memoryMost: number;
  readonly clientLateMs: number;
}

/** Sends at a steady rate, whatever the answers; each request has a deadline of its own. */
async function send(
  server: ServerProcess,
  perSecond: number,
  seconds: number,
  deadlineMs: number,
): Promise<Sent> {
  const client = new HttpClient(server.url, requests());
  let memoryMost = residentBytes(server);
  let clientLateMs = 0;
  const answers: Promise<Timed>[] = [];
  const stolen = new StolenTime();
  stolen.sample();
  const started = performance.now();
  const header = `X-Timeout-Ms: ${deadlineMs}`;
  for (let now = started; now - started < 1000 * seconds;) {
    const due = ((now - started) / 1000) * perSecond;
    while (answers.length < due) {
      answers.push(
        client
          .ask(answers.length, header)
          .catch(() => ({ status: 0, milliseconds: 0 }))
          .then((answer) => ({ ...answer, at: performance.now() })),
      );
    }
    // Polled without waiting: a wait for another thread is long here, and requests would come in bursts.
    memoryMost = Math.max(memoryMost, residentBytes(server));
    stolen.sample();
    const asleep = performance.now();
    await new Promise((resolve) => setTimeout(resolve, tickMs));
    now = performance.now();
    clientLateMs = Math.max(clientLateMs, now - asleep - tickMs);
  }
  const all = await Promise.all(answers);
  const took = performance.now() - started;
  stolen.sample();
  client.close();
  return { answers: all, stolen, took, memoryMost, clientLateMs };
}

/** Overloads a server and counts the outcomes of the requests. */
export async function overload(
  server: ServerProcess,
  perSecond: number,
  seconds: number,
  deadlineMs: number,
): Promise<Overload> {
  const memoryBefore = residentBytes(server);
  const { result: measured, hasPriority } = await withPriority(() =>
    withCpuTime([server.process.pid!], () => send(server, perSecond, seconds, deadlineMs)),
  );
  const { answers: all, stolen, took, memoryMost, clientLateMs } = measured.result;
  const [cpu] = measured.cpu;
  const of = (...statuses: number[]) => all.filter(({ status }) => statuses.includes(status));
  const slow = of(429).filter(({ milliseconds }) => milliseconds > promptMs);
  return {
    perSecond,
    seconds,
    sent: all.length,
    answered: of(200).length,
    refused: of(429).length,
    late: of(504).length + of(200).filter(({ milliseconds }) => milliseconds > deadlineMs).length,
    failed: all.filter(({ status }) => ![200, 429, 504].includes(status)).length,
    deadlineMs,
    answeredMs: summary(of(200)),
    refusedMs: summary(of(429)),
    slowRefusals: slow.length,
    slowRefusalsOfOurs: slow.filter(
      ({ at, milliseconds }) => milliseconds - stolen.between(at - milliseconds, at) > promptMs,
    ).length,
    serverRan: cpu.main / took,
    serverWaited: cpu.mainWaited / took,
    clientLateMs,
    clientHasPriority: hasPriority,
    stolen: stolen.total / (availableParallelism() * took),
    memoryBefore,
    memoryMost,
    memoryAfter: residentBytes(server),
  };
}

function summary(some: readonly Answer[]): Overload['answeredMs'] {
  const times = some.map(({ milliseconds }) => milliseconds);
  return { p50: percentile(times, 50), p99: percentile(times, 99), max: Math.max(0, ...times) };
}
