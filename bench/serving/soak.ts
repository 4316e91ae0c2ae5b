import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServerProcess } from '../../tests/hostile/support/server-process.js';
import { percentile } from './closed-loop.js';
import { HttpClient } from './http-client.js';
import { OtherWork } from './other-work.js';
import { withPriority } from './priority.js';
import { withStolenShare } from './stolen-time.js';
import { requests } from './workload.js';

/**
 * Honest clients alone, and beside hostile ones, in turn, so that other load on the machine falls on both. Turns in which
 * other processes had more than a twentieth of the machine are counted apart. The heap of the server is limited to 512 MB;
 * its content is measured after every turn.
 *
 *   npm run build && node --import tsx bench/serving/soak.ts [MINUTES] > soak.json
 */

const minutes = Number(process.argv[2] ?? 30);
const besideSeconds = 60;
const settleSeconds = 5;
const aloneSeconds = 25;
const honestClients = 3;
const megabyte = 1024 * 1024;

/** The share of the machine that other processes may have in a quiet turn. */
const quietShare = 0.05;

function summaryOf(times: readonly number[]) {
  return {
    count: times.length,
    p50: round(percentile(times, 50)),
    p99: round(percentile(times, 99)),
    max: round(Math.max(0, ...times)),
  };
}

/** The latencies and statuses that honest clients met. */
class Met {
  readonly honest: number[] = [];
  readonly ready: number[] = [];
  readonly statuses: Record<string, number> = {};

  add(status: number, milliseconds: number): void {
    this.statuses[status] = (this.statuses[status] ?? 0) + 1;
    if (status === 200) this.honest.push(milliseconds);
  }

  addAll({ honest, ready, statuses }: Met): void {
    this.honest.push(...honest);
    this.ready.push(...ready);
    for (const [status, count] of Object.entries(statuses)) {
      this.statuses[status] = (this.statuses[status] ?? 0) + count;
    }
  }

  get summary() {
    return { honest: summaryOf(this.honest), ready: summaryOf(this.ready), statuses: this.statuses };
  }
}

function summaryOfBoth({ alone, beside }: { readonly alone: Met; readonly beside: Met }) {
  const p99Ratio = Math.round((100 * beside.summary.honest.p99) / alone.summary.honest.p99) / 100;
  return { alone: alone.summary, beside: beside.summary, p99Ratio };
}

const round = (value: number): number => Math.round(10 * value) / 10;

/** A request a second from each honest client, and a request for `/ready` five times a second. */
async function honestTraffic(client: HttpClient, url: string, seconds: number, all: Met[]): Promise<void> {
  const end = performance.now() + 1000 * seconds;
  const asked: Promise<void>[] = [];
  for (let turn = 0; performance.now() < end; turn++) {
    if (turn % 5 < honestClients) {
      const header = `X-Forwarded-For: 10.1.0.${turn % 5}`;
      asked.push(
        client
          .ask(turn, header)
          .catch(() => ({ status: 0, milliseconds: 0 }))
          .then(({ status, milliseconds }) => all.forEach((met) => met.add(status, milliseconds))),
      );
    }
    const sent = performance.now();
    asked.push(
      fetch(`${url}/ready`, { headers: { 'X-Forwarded-For': '10.2.0.1' } }).then(async (answer) => {
        await answer.text();
        for (const met of all) met.ready.push(performance.now() - sent);
      }),
    );
    await sleep(200);
  }
  await Promise.all(asked);
}

const server = await ServerProcess.start({ trustProxy: true });
const hostile = fork(join(import.meta.dirname, 'hostile-clients.ts'), [server.url], {
  execArgv: ['--import', 'tsx'],
});
await once(hostile, 'message');
const client = new HttpClient(server.url, requests());

const { result, hasPriority } = await withPriority(async () => {
  // Code is compiled, and buffers are made, when they are first needed.
  hostile.send('start');
  await honestTraffic(client, server.url, Math.min(60, minutes * 15), []);
  hostile.send('stop');
  await once(hostile, 'message');
  await sleep(1000 * settleSeconds);
  const start = await server.measure('memory');
  const all = { alone: new Met(), beside: new Met() };
  const quiet = { alone: new Met(), beside: new Met() };
  const otherWork = new OtherWork([process.pid, server.pid, hostile.pid!]);
  let quietTurns = 0;
  const turns: object[] = [];
  const began = performance.now();
  let hostileCounts: unknown;
  let longestBlock = 0;
  const { stolen } = await withStolenShare(async () => {
    while (performance.now() - began < 60_000 * minutes) {
      const here = { alone: new Met(), beside: new Met() };
      otherWork.take();
      await honestTraffic(client, server.url, aloneSeconds, [all.alone, here.alone]);
      const others = { alone: otherWork.take(), beside: 0 };
      await server.measure('block');
      hostile.send('start');
      await honestTraffic(client, server.url, besideSeconds, [all.beside, here.beside]);
      others.beside = otherWork.take();
      longestBlock = Math.max(longestBlock, (await server.measure('block')).longest);
      hostile.send('stop');
      [hostileCounts] = (await once(hostile, 'message')) as unknown[];
      await sleep(1000 * settleSeconds);
      const { rss, held } = await server.measure('memory');
      if (Math.max(others.alone, others.beside) <= quietShare) {
        quietTurns++;
        quiet.alone.addAll(here.alone);
        quiet.beside.addAll(here.beside);
      }
      const turn = {
        others,
        alone: here.alone.summary,
        beside: here.beside.summary,
        rss: round(rss / megabyte),
        held: round(held / megabyte),
      };
      turns.push(turn);
      console.error(
        `${round((performance.now() - began) / 60_000)} min: p99 ${turn.alone.honest.p99} ms alone, ` +
          `${turn.beside.honest.p99} beside; /ready ${turn.beside.ready.max}; ${turn.rss} MB, holds ${turn.held}; ` +
          `others ${round(100 * others.alone)} and ${round(100 * others.beside)} %`,
      );
    }
  });
  return {
    minutes: round((performance.now() - began) / 60_000),
    stolen: round(100 * stolen) / 100,
    ...summaryOfBoth(all),
    quietTurns,
    quiet: summaryOfBoth(quiet),
    longestBlock: round(longestBlock),
    hostile: hostileCounts,
    rssAtStart: round(start.rss / megabyte),
    heldAtStart: round(start.held / megabyte),
    turns,
  };
});
console.log(JSON.stringify({ ...result, hasPriority }, undefined, 2));
client.close();
hostile.kill();
await server.stop();
