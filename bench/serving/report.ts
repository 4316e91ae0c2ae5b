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
  ? 'It stands for other machines, so it has the priority here, 5 steps of 40 above the server (`bench/serving/priority.ts`).'
  : 'It had no priority over the server, which only a privileged user may give it (`bench/serving/priority.ts`).';

writeFileSync(
  page,
  `# Serving, measured

\`npm run build && node --import tsx bench/serving/run.ts > result.json && node --import tsx bench/serving/report.ts result.json\`, ${report.date},
on ${machine.cores} cores of ${machine.cpu}, Node ${machine.node}. Server and clients are two processes on the same two cores, over loopback; the client sends prepared bytes over kept connections and looks at
status and length of what comes back; a request is a query and ${report.documentsPerRequest} documents of up to 100 words of the demo collection.

- *scorer alone*: the same requests put to \`BertScorer.score\` in one process, as many calls under way as there are clients, without HTTP.
- *bare server*: the same scorer behind the fewest lines of \`node:http\` (\`bench/serving/bare-server.ts\`): nothing is checked, limited, shared out or counted. What it loses, HTTP, JSON and the client take: about as much as any server here has to.
- *bert-qe*: \`bert-qe serve\`, asked at \`POST /rerank\`.
- *Transformers.js*: the server one writes first (\`bench/serving/transformers-js-server.ts\`): the same weights as ONNX, fp32, behind \`node:http\`; a request is a batch.

## Clients that wait for their answers

Each client sends its next request when the last one is answered. The systems take turns, in rounds (${[...new Set(rounds)].join('; ')}) after ${[...new Set(reports.map((one) => one.warmUpSeconds))].join(' or ')} s to warm up and one round that is not counted; throughput is the median round's,
in documents per second; latencies are p50 / p99 in milliseconds over all rounds. In brackets the share of the scorer alone: the median over rounds, each against the scorer's own round just before it; beside it the lowest and the highest, and the share of the bare server, round by round.
*Stolen* is the share of the cores' time that the machine beneath this virtual one took meanwhile.

| model | clients | scorer alone | bare server | bert-qe | from, to | of bare | its latency | Transformers.js | its latency | bert-qe is | stolen |
|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|
${everyRow(closedLoopRow)}

What a request costs, in milliseconds of CPU as Linux counts them for each thread. *Server* is the thread that serves (of the scorer alone: that calls it), *workers* are the scoring threads,
*client* is the process that asks, which runs on the same cores. *Of alone* is what the scorer alone takes over what serving takes, client included: the share of its throughput that is left where
nothing but CPU time counts.

| model | clients | alone: server | workers | bare: server | workers | client | of alone | bert-qe: server | workers | client | of alone |
|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|
${everyRow(cpuRow)}

## Ten times more than it can do

Requests come at ten times the rate that eight clients reached above, whatever is answered, each with a deadline of
${overloads[0].deadlineMs / 1000} s (\`X-Timeout-Ms\`); all from one address, so one client to the server.
*late* are answers after the deadline and 504s; times are p50 / p99 / longest, in milliseconds as the client sees them, sending on the same two cores. *Over 50 ms* are the refusals that took longer, and in brackets those that
did so by more than the machine beneath took from a core in that time. *Ran, waited* are the shares of the time that the serving thread ran, and that it had work but no core; *client late* is the most by which the
client was late to send, in milliseconds, and it may have been as late to hear an answer. ${priority}

| model | sent at | sent | answered | refused (429) | late | lost | time of answers | time of refusals | over 50 ms | ran, waited | client late | stolen | memory, MB |
|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|
${overloads.map(overloadRow).join('\n')}

${remarks}`,
);
