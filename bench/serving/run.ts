// npm run build && node --import tsx bench/serving/run.ts [MODEL…] [--clients 1,2,8,64] [--rounds 7] [--seconds 2]   (S and T)
// Prints a JSON document; report.ts makes a page of it, or of several.
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { findModel } from '../../src/bert/index.js';
import { exportForPeers } from '../scoring/export-models.js';
import { closedLoop, median, percentile, type Loop, type LoopOrder } from './closed-loop.js';
import { AloneProcess, bareServer, ourServer, peerServer, stopServer } from './contenders.js';
import { withCpuTime, type CpuTime } from './cpu-time.js';
import { HttpClient } from './http-client.js';
import { overload } from './overload.js';
import { withStolenShare } from './stolen-time.js';
import { documentsPerRequest, requests } from './workload.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    clients: { type: 'string', default: '1,2,8,64' },
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '2' },
  },
});
const clients = values.clients.split(',').map(Number);
/** More and shorter rounds even out other load on the machine where requests are short. */
const rounds = Number(values.rounds);
const seconds = Number(values.seconds);
/** With eight clients, before anything is counted: Node compiles what runs often, and a server for a minute. */
const warmUpSeconds = 15;
const overloadSeconds = 8;
const overloadDeadlineMs = 5000;

interface Round extends Loop {
  /** The share of the cores' time that the machine beneath took. */
  readonly stolen: number;
  /** CPU time of the system, and work of the client. */
  readonly cpu: { readonly system: CpuTime; readonly client: CpuTime };
}

const documentsPerSecond = (loop: Loop) => (loop.requests * documentsPerRequest) / loop.seconds;

/**
 * The requests of several rounds together; throughput is that of the median round, and so is the share of the scorer
 * alone: each round against the one of the scorer just before it, since the machine is not equally fast at all times.
 */
function summarise(loops: readonly Round[], alone: readonly Round[]) {
  const latencies = loops.flatMap((loop) => loop.latencies);
  const perSecond = loops.map(documentsPerSecond);
  const shares = perSecond.map((speed, i) => speed / documentsPerSecond(alone[i]));
  const perRequest = (of: (round: Round) => number) =>
    loops.reduce((sum, loop) => sum + of(loop), 0) / latencies.length;
  return {
    documentsPerSecond: median(perSecond),
    /** Of each round. */
    shares,
    stolen: loops.reduce((sum, { stolen }) => sum + stolen, 0) / loops.length,
    p50: percentile(latencies, 50),
    p99: percentile(latencies, 99),
    requests: latencies.length,
    cpuMs: {
      main: perRequest(({ cpu }) => cpu.system.main),
      others: perRequest(({ cpu }) => cpu.system.others),
      client: perRequest(({ cpu }) => cpu.client.main + cpu.client.others),
    },
  };
}

/** A system, asked by as many clients as the order says. */
interface System {
  readonly pid: number;
  run(order: LoopOrder): Promise<Loop>;
}

async function round({ pid, run }: System, order: LoopOrder): Promise<Round> {
  const { result: measured, stolen } = await withStolenShare(() =>
    withCpuTime([pid, process.pid], () => run(order)),
  );
  const { result, cpu } = measured;
  return { ...result, stolen, cpu: { system: cpu[0], client: cpu[1] } };
}

async function measure(model: string) {
  const work = requests();
  const models = mkdtempSync(join(tmpdir(), 'bert-qe-serving-'));
  const folder = await findModel(model);
  const name = basename(folder);
  await exportForPeers(folder, join(models, name));
  const alone = await AloneProcess.start(model);
  const bare = await bareServer(model);
  // Enough room that 64 closed-loop clients are never refused: refusing is measured below.
  const ours = await ourServer(model, '--deadline', '120');
  const peer = await peerServer(name, models);
  const toOurs = new HttpClient(ours.url, work);
  const toPeer = new HttpClient(peer.url, work);
  const toBare = new HttpClient(bare.url, work);
  const systems: Record<'alone' | 'bare' | 'bert-qe' | 'transformers.js', System> = {
    alone: { pid: alone.pid, run: (order) => alone.run(order) },
    bare: { pid: bare.process.pid!, run: (order) => closedLoop(order, (i) => toBare.must(i)) },
    'bert-qe': { pid: ours.process.pid!, run: (order) => closedLoop(order, (i) => toOurs.must(i)) },
    'transformers.js': { pid: peer.process.pid!, run: (order) => closedLoop(order, (i) => toPeer.must(i)) },
  };
  const results = [];
  try {
    for (const system of Object.values(systems)) await system.run({ clients: 8, seconds: warmUpSeconds });
    for (const count of clients) {
      const loops = new Map<string, Round[]>(Object.keys(systems).map((name) => [name, []]));
      // In turn, so that other load on the machine falls on all alike. The first turn is not counted: with
      // another number of clients other code runs often.
      for (let i = -1; i < rounds; i++) {
        for (const [name, system] of Object.entries(systems)) {
          const one = await round(system, { clients: count, seconds });
          if (i >= 0) loops.get(name)!.push(one);
        }
      }
      for (const [system, of] of loops) {
        const result = { model, clients: count, system, ...summarise(of, loops.get('alone')!) };
        process.stderr.write(`${JSON.stringify(result)}\n`);
        results.push(result);
      }
    }
    const resets = { model, 'bert-qe': toOurs.resets, 'transformers.js': toPeer.resets };
    const capacity = results.find(({ clients: count, system }) => count === 8 && system === 'bert-qe');
    if (!capacity) return { results, resets, overload: [] };
    // Idle processes collect garbage, on the cores that are to be overloaded.
    await Promise.all([alone.end(), stopServer(bare), stopServer(peer)]);
    const perSecond = (10 * capacity.documentsPerSecond) / documentsPerRequest;
    const overloaded = await overload(ours, perSecond, overloadSeconds, overloadDeadlineMs);
    process.stderr.write(`${JSON.stringify(overloaded)}\n`);
    // The process is the same as before, and it still answers.
    await toOurs.must(0);
    return { results, resets, overload: [{ model, ...overloaded }] };
  } finally {
    for (const client of [toOurs, toPeer, toBare]) client.close();
    await Promise.all([alone.end(), ...[ours, peer, bare].map(stopServer)]);
    rmSync(models, { recursive: true, force: true });
  }
}

const names = positionals.length > 0 ? positionals : ['S', 'T'];
const measured = [];
for (const name of names) measured.push(await measure(name));
const machine = { cpu: cpus()[0].model, cores: availableParallelism(), node: process.version };
const report = {
  machine,
  documentsPerRequest,
  rounds,
  seconds,
  warmUpSeconds,
  date: new Date().toISOString().slice(0, 10),
  results: measured.flatMap(({ results }) => results),
  resets: measured.map((one) => one.resets),
  overload: measured.flatMap((one) => one.overload),
};
process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
