// node --import tsx bench/serving/report.ts RESULT.json…
// Writes docs/benchmarks-serving.md of one run or of several that measured different things; the remarks under its last heading are written by hand, and stay.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { median } from './closed-loop.js';
import type { Overload } from './overload.js';
import { root } from './workload.js';

interface Result {
  readonly model: string;
  readonly clients: number;
  readonly system: 'alone' | 'bare' | 'bert-qe' | 'transformers.js';
  readonly documentsPerSecond: number;
  readonly shares: readonly number[];
  readonly stolen: number;
  readonly p50: number;
  readonly p99: number;
  /** Milliseconds of CPU for a request: the thread that serves, the others, the client. */
  readonly cpuMs: { readonly main: number; readonly others: number; readonly client: number };
}

interface Report {
  readonly machine: { readonly cpu: string; readonly cores: number; readonly node: string };
  readonly documentsPerRequest: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
  readonly date: string;
  readonly results: readonly Result[];
  readonly overload: readonly (Overload & { readonly model: string })[];
}

const reports = process.argv.slice(2).map((path) => JSON.parse(readFileSync(path, 'utf8')) as Report);
const [report] = reports;
const results = reports.flatMap((one) => one.results);
const overloads = reports.flatMap((one) => one.overload);
const names: Readonly<Record<string, string>> = { S: 'small (4 layers, 256)', T: 'tiny (2 layers, 128)' };

function find(model: string, clients: number, system: Result['system']): Result {
  return results.find(
    (result) => result.model === model && result.clients === clients && result.system === system,
  )!;
}

function ms(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(1);
}

function megabytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(0);
}

function percent(share: number): string {
  return `${(100 * share).toFixed(0)} %`;
}

function closedLoopRow(model: string, clients: number): string {
  const alone = find(model, clients, 'alone');
  const bare = find(model, clients, 'bare');
  const ours = find(model, clients, 'bert-qe');
  const peer = find(model, clients, 'transformers.js');
  const ofBare = median(ours.shares.map((share, i) => share / bare.shares[i]));
  const range = [Math.min(...ours.shares), Math.max(...ours.shares)].map(percent).join(' to ');
  const cells = [
    names[model],
    String(clients),
    alone.documentsPerSecond.toFixed(0),
    `${bare.documentsPerSecond.toFixed(0)} (${percent(median(bare.shares))})`,
    `**${ours.documentsPerSecond.toFixed(0)} (${percent(median(ours.shares))})**`,
    range,
    percent(ofBare),
    `${ms(ours.p50)} / ${ms(ours.p99)}`,
    peer.documentsPerSecond.toFixed(0),
    `${ms(peer.p50)} / ${ms(peer.p99)}`,
    `${(ours.documentsPerSecond / peer.documentsPerSecond).toFixed(1)}×`,
    percent((alone.stolen + bare.stolen + ours.stolen) / 3),
  ];
  return `| ${cells.join(' | ')} |`;
}

/** The share of the scorer's speed that CPU time allows: its own time over all the time that a request takes. */
function cpuRow(model: string, clients: number): string {
  const { cpuMs: alone } = find(model, clients, 'alone');
  const ofServer = (system: 'bare' | 'bert-qe'): string[] => {
    const { main, others, client } = find(model, clients, system).cpuMs;
    const share = (alone.main + alone.others) / (main + others + client);
    return [...[main, others, client].map((time) => time.toFixed(2)), percent(share)];
  };
  const cells = [
    names[model],
    String(clients),
    alone.main.toFixed(2),
    alone.others.toFixed(2),
    ...ofServer('bare'),
    ...ofServer('bert-qe'),
  ];
  return `| ${cells.join(' | ')} |`;
}

function overloadRow(one: Report['overload'][number]): string {
  const cells = [
    names[one.model],
    `${one.perSecond.toFixed(0)}/s for ${one.seconds} s`,
    String(one.sent),
    String(one.answered),
    String(one.refused),
    String(one.late),
    String(one.failed),
    `${ms(one.answeredMs.p50)} / ${ms(one.answeredMs.p99)} / ${ms(one.answeredMs.max)}`,
    `${ms(one.refusedMs.p50)} / ${ms(one.refusedMs.p99)} / ${ms(one.refusedMs.max)}`,
    `${one.slowRefusals} (${one.slowRefusalsOfOurs})`,
    `${percent(one.serverRan)}, ${percent(one.serverWaited)}`,
    ms(one.clientLateMs),
    percent(one.stolen),
    `${megabytes(one.memoryBefore)} → ${megabytes(one.memoryMost)}`,
  ];
  return `| ${cells.join(' | ')} |`;
}

const models = [...new Set(results.map(({ model }) => model))];
const clients = [...new Set(results.map((result) => result.clients))].sort((a, b) => a - b);
const rounds = reports.map((one) => `${one.rounds} of ${one.seconds} s`);
const { machine } = report;
const page = join(root, 'docs/benchmarks-serving.md');
const heading = '## What it shows';
const before = existsSync(page) ? readFileSync(page, 'utf8') : '';
const remarks = before.includes(heading) ? before.slice(before.indexOf(heading)) : `${heading}\n`;
const everyRow = (row: (model: string, clients: number) => string): string =>
  models.flatMap((model) => clients.map((count) => row(model, count))).join('\n');
const priority = overloads.every(({ clientHasPriority }) => clientHasPriority)
  ? 'The client stands for other machines, so its priority is 5 of 40 steps above that of the server (`bench/serving/priority.ts`).'
  : 'The client has no priority over the server; only a privileged user may give it one (`bench/serving/priority.ts`).';

writeFileSync(
  page,
  `# Benchmarks: serving

\`npm run build && node --import tsx bench/serving/run.ts > result.json && node --import tsx bench/serving/report.ts result.json\`, ${report.date},
on ${machine.cores} cores of ${machine.cpu}, Node ${machine.node}. Server and client are two processes on the same two cores, connected by loopback. The client sends prepared bytes over kept connections and checks
the status and length of each answer. A request is a query and ${report.documentsPerRequest} documents of up to 100 words of the demo collection.

- *scorer alone*: the same requests to \`BertScorer.score\` in one process, without HTTP, with as many concurrent calls as there are clients.
- *bare server*: the same scorer behind a minimal \`node:http\` server without checks, limits, scheduling or metrics (\`bench/serving/bare-server.ts\`). Its loss is the cost of HTTP, JSON and the client.
- *bert-qe*: \`bert-qe serve\`, \`POST /rerank\`.
- *Transformers.js*: the same weights as ONNX, fp32, behind \`node:http\` (\`bench/serving/transformers-js-server.ts\`). A request is a batch.

## Throughput and latency

Each client waits for an answer before it sends its next request. The systems take turns, in rounds (${[...new Set(rounds)].join('; ')}) after ${[...new Set(reports.map((one) => one.warmUpSeconds))].join(' or ')} s to warm up and one round that is not counted; throughput is the median round's,
in documents per second. Latencies are p50 / p99 in milliseconds over all rounds. The share of the scorer alone is in brackets: the median over rounds, each compared with the scorer's own round just before it. The lowest and highest shares and the share of the bare server follow.
*Stolen* is the share of CPU time that the host took from the virtual machine.

| model | clients | scorer alone | bare server | bert-qe | from, to | of bare | its latency | Transformers.js | its latency | bert-qe is | stolen |
|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|
${everyRow(closedLoopRow)}

CPU time of a request in milliseconds, as Linux counts it per thread. *Server* is the serving thread (for the scorer alone: the calling thread), *workers* are the scoring threads,
and *client* is the client process on the same cores. *Of alone* is the CPU time of the scorer alone divided by that of serving, client included: the share of the throughput that
remains if only CPU time counts.

| model | clients | alone: server | workers | bare: server | workers | client | of alone | bert-qe: server | workers | client | of alone |
|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|
${everyRow(cpuRow)}

## Ten times the capacity

Requests arrive at ten times the rate that eight clients reached above, without waiting for answers, each with a deadline of
${overloads[0].deadlineMs / 1000} s (\`X-Timeout-Ms\`). All come from one address, so the server sees one client.
*Late* counts answers after the deadline and 504s. Times are p50 / p99 / longest in milliseconds, as the client on the same two cores sees them. *Over 50 ms* counts slower refusals; in brackets are those that
the host's share does not explain. *Ran, waited* are the shares of time in which the serving thread ran, and in which it had work but no core. *Client late* is the longest delay of the
client in sending, in milliseconds; it may have received answers as late. ${priority}

| model | sent at | sent | answered | refused (429) | late | lost | time of answers | time of refusals | over 50 ms | ran, waited | client late | stolen | memory, MB |
|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|
${overloads.map(overloadRow).join('\n')}

${remarks}`,
);
