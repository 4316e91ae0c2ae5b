// npm run build && node --import tsx bench/serving/run.ts [MODEL…]   (S and T)
// Prints a JSON document; report.ts makes a page of it.
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { findModel } from '../../src/bert/index.js';
import { exportForPeers } from '../scoring/export-models.js';
import { closedLoop, percentile, type Loop } from './closed-loop.js';
import { AloneProcess, ourServer, peerServer } from './contenders.js';
import { HttpClient } from './http-client.js';
import { overload } from './overload.js';
import { documentsPerRequest, requests } from './workload.js';

const clients = [1, 8, 64];
const rounds = 2;
const seconds = 4;
const overloadSeconds = 8;
const overloadDeadlineMs = 5000;

/** The requests of several rounds together; throughput is that of the median round. */
function summarise(loops: readonly Loop[]) {
  const latencies = loops.flatMap((loop) => loop.latencies);
  const perSecond = loops
    .map((loop) => (loop.requests * documentsPerRequest) / loop.seconds)
    .sort((a, b) => a - b);
  return {
    documentsPerSecond: perSecond[Math.floor(perSecond.length / 2)],
    p50: percentile(latencies, 50),
    p99: percentile(latencies, 99),
    requests: latencies.length,
  };
}

async function measure(model: string) {
  const work = requests();
  const models = mkdtempSync(join(tmpdir(), 'bert-qe-serving-'));
  const folder = await findModel(model);
  const name = basename(folder);
  await exportForPeers(folder, join(models, name));
  const alone = await AloneProcess.start(model);
  // Enough room that 64 closed-loop clients are never refused: refusing is measured below.
  const ours = await ourServer(model, '--deadline', '120');
  const peer = await peerServer(name, models);
  const toOurs = new HttpClient(ours.url, work);
  const toPeer = new HttpClient(peer.url, work);
  const results = [];
  try {
    for (const count of clients) {
      const loops: Record<'alone' | 'bert-qe' | 'transformers.js', Loop[]> = {
        alone: [],
        'bert-qe': [],
        'transformers.js': [],
      };
      const order = { clients: count, seconds };
      // In turn, so that whatever else the machine does falls on all alike.
      for (let round = 0; round < rounds; round++) {
        loops.alone.push(await alone.run(order));
        loops['bert-qe'].push(await closedLoop(order, (i) => toOurs.must(i)));
        loops['transformers.js'].push(await closedLoop(order, (i) => toPeer.must(i)));
      }
      for (const [system, of] of Object.entries(loops)) {
        const result = { model, clients: count, system, ...summarise(of) };
        process.stderr.write(`${JSON.stringify(result)}\n`);
        results.push(result);
      }
    }
    const capacity = results.find(({ clients: count, system }) => count === 8 && system === 'bert-qe')!;
    const perSecond = (10 * capacity.documentsPerSecond) / documentsPerRequest;
    const overloaded = await overload(ours, perSecond, overloadSeconds, overloadDeadlineMs);
    process.stderr.write(`${JSON.stringify(overloaded)}\n`);
    // It is the same process that answered before, and it still does.
    await toOurs.must(0);
    const resets = { model, 'bert-qe': toOurs.resets, 'transformers.js': toPeer.resets };
    return { results, resets, overload: { model, ...overloaded } };
  } finally {
    toOurs.close();
    toPeer.close();
    alone.end();
    ours.process.removeAllListeners('exit').kill('SIGTERM');
    peer.process.removeAllListeners('exit').kill('SIGTERM');
    rmSync(models, { recursive: true, force: true });
  }
}

const names = process.argv.length > 2 ? process.argv.slice(2) : ['S', 'T'];
const measured = [];
for (const name of names) measured.push(await measure(name));
const machine = { cpu: cpus()[0].model, cores: availableParallelism(), node: process.version };
const report = {
  machine,
  documentsPerRequest,
  rounds,
  seconds,
  date: new Date().toISOString().slice(0, 10),
  results: measured.flatMap(({ results }) => results),
  resets: measured.map((one) => one.resets),
  overload: measured.map((one) => one.overload),
};
process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
