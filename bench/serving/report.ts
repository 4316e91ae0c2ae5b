// node --import tsx bench/serving/report.ts RESULT.json
// Writes docs/benchmarks-serving.md; the remarks under its last heading are written by hand, and stay.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Overload } from './overload.js';
import { root } from './workload.js';

interface Result {
  readonly model: string;
  readonly clients: number;
  readonly system: 'alone' | 'bert-qe' | 'transformers.js';
  readonly documentsPerSecond: number;
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

const report = JSON.parse(readFileSync(process.argv[2], 'utf8')) as Report;
const names: Readonly<Record<string, string>> = { S: 'small (4 layers, 256)', T: 'tiny (2 layers, 128)' };

function find(model: string, clients: number, system: Result['system']): Result {
  return report.results.find(
    (result) => result.model === model && result.clients === clients && result.system === system,
  )!;
}

function ms(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(1);
}

function megabytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(0);
}

function closedLoopRow(model: string, clients: number): string {
  const alone = find(model, clients, 'alone');
  const ours = find(model, clients, 'bert-qe');
  const peer = find(model, clients, 'transformers.js');
  const share = (100 * ours.documentsPerSecond) / alone.documentsPerSecond;
  const cells = [
    names[model],
    String(clients),
    alone.documentsPerSecond.toFixed(0),
    `**${ours.documentsPerSecond.toFixed(0)}** (${share.toFixed(0)} %)`,
    `${ms(ours.p50)} / ${ms(ours.p99)}`,
    peer.documentsPerSecond.toFixed(0),
    `${ms(peer.p50)} / ${ms(peer.p99)}`,
    `${(ours.documentsPerSecond / peer.documentsPerSecond).toFixed(1)}×`,
  ];
  return `| ${cells.join(' | ')} |`;
}

/** How far the scorer's speed could be reached if only CPU time counted: its own, over all that a request takes. */
function cpuRow(model: string, clients: number): string {
  const { cpuMs: alone } = find(model, clients, 'alone');
  const { cpuMs: ours } = find(model, clients, 'bert-qe');
  const share = (alone.main + alone.others) / (ours.main + ours.others + ours.client);
  const times = [alone.main, alone.others, ours.main, ours.others, ours.client];
  const cells = [
    names[model],
    String(clients),
    ...times.map((time) => time.toFixed(2)),
    `${(100 * share).toFixed(0)} %`,
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
    `${megabytes(one.memoryBefore)} → ${megabytes(one.memoryMost)}`,
  ];
  return `| ${cells.join(' | ')} |`;
}

const models = [...new Set(report.results.map(({ model }) => model))];
const clients = [...new Set(report.results.map((result) => result.clients))];
const { machine } = report;
const page = join(root, 'docs/benchmarks-serving.md');
const heading = '## What it shows';
const before = existsSync(page) ? readFileSync(page, 'utf8') : '';
const remarks = before.includes(heading) ? before.slice(before.indexOf(heading)) : `${heading}\n`;
const everyRow = (row: (model: string, clients: number) => string): string =>
  models.flatMap((model) => clients.map((count) => row(model, count))).join('\n');

writeFileSync(
  page,
  `# Serving, measured

\`npm run build && node --import tsx bench/serving/run.ts > result.json && node --import tsx bench/serving/report.ts result.json\`, ${report.date},
on ${machine.cores} cores of ${machine.cpu}, Node ${machine.node}. Server and clients are two processes on the same two cores, over loopback; the client sends prepared bytes over kept connections and looks at
status and length of what comes back; a request is a query and ${report.documentsPerRequest} documents of up to 100 words of the demo collection.

- *scorer alone*: the same requests put to \`BertScorer.score\` in one process, as many at a time, without HTTP.
- *bert-qe*: \`bert-qe serve\`, asked at \`POST /rerank\`.
- *Transformers.js*: the server one writes first (\`bench/serving/transformers-js-server.ts\`): the same weights as ONNX, fp32, behind \`node:http\`; a request is a batch.

## Clients that wait for their answers

Each client sends its next request when the last one is answered. ${report.rounds} rounds of ${report.seconds} s each after ${report.warmUpSeconds} s to warm up, the three systems in turn; throughput is the median round's,
in documents per second; latencies are p50 / p99 in milliseconds over all rounds.

| model | clients | scorer alone | bert-qe | its latency | Transformers.js | its latency | bert-qe is |
|---|--:|--:|--:|--:|--:|--:|--:|
${everyRow(closedLoopRow)}

What a request costs, in milliseconds of CPU as Linux counts them for each thread. *Server* is the thread that serves (of the scorer alone: that calls it), *workers* are the scoring threads,
*client* is the process that asks, which runs on the same cores. The last column is what the scorer alone takes over what serving takes, client included: the share of its throughput that is left where
nothing but CPU time counts.

| model | clients | alone: server | workers | bert-qe: server | workers | client | of the scorer alone |
|---|--:|--:|--:|--:|--:|--:|--:|
${everyRow(cpuRow)}

## Ten times more than it can do

Requests come at ten times the rate that eight clients reached above, whatever is answered, each with a deadline of
${report.overload[0].deadlineMs / 1000} s (\`X-Timeout-Ms\`); all from one address, so one client to the server.
*late* are answers after the deadline and 504s; times are p50 / p99 / longest, in milliseconds as the client sees them, sending on the same two cores.

| model | sent at | sent | answered | refused (429) | late | lost | time of answers | time of refusals | memory, MB |
|---|---|--:|--:|--:|--:|--:|--:|--:|--:|
${report.overload.map(overloadRow).join('\n')}

${remarks}`,
);
