// node --import tsx bench/builds/run.ts OTHER [--rounds 7] [--precision fp32|auto] [--parts score,rerank,serve]
//   [--queries 5]   (after npm run build, here and in OTHER)
//
// This build beside another one, such as that of an earlier commit in a worktree: scoring, re-ranking and serving in
// alternating rounds. Prints the medians, and the median and the quartiles of the ratios this/other of the rounds' seconds.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { collectionFolder } from '../collections.js';
import { openSetting } from '../expansion/setting.js';
import { root } from '../scoring/workload.js';
import { closedLoop, percentile } from '../serving/closed-loop.js';
import { startServer, stopServer } from '../serving/contenders.js';
import { HttpClient } from '../serving/http-client.js';
import { requests } from '../serving/workload.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '7' },
    precision: { type: 'string', default: 'fp32' },
    parts: { type: 'string', default: 'score,rerank,serve' },
    queries: { type: 'string', default: '5' },
  },
});
const rounds = Number(values.rounds);
const { precision } = values;
const wanted = values.parts.split(',');
if (positionals.length !== 1) {
  process.stderr.write('Name one folder, that of the other build: bench/builds/run.ts OTHER\n');
  process.exit(2);
}
const builds = [root, resolve(positionals[0])];
for (const build of builds) {
  const entry = join(build, 'dist/index.js');
  if (existsSync(entry)) continue;
  process.stderr.write(`${entry} is missing; run npm run build in ${build}\n`);
  process.exit(2);
}

/** One way of doing the work; it returns the seconds. */
type Way = () => Promise<number>;

/** Runs this build and the other in turn, each first in every second round, and prints a line. */
async function compare(name: string, ways: readonly Way[]): Promise<void> {
  const seconds: number[][] = [[], []];
  for (let round = -1; round < rounds; round++) {
    for (const i of round % 2 === 0 ? [0, 1] : [1, 0]) {
      const taken = await ways[i]();
      if (round >= 0) seconds[i].push(taken);
    }
  }
  const ratios = seconds[0].map((own, i) => own / seconds[1][i]);
  const [own, other] = seconds.map((each) => `${(1000 * percentile(each, 50)).toFixed(1)} ms`);
  const [low, middle, high] = [25, 50, 75].map((p) => percentile(ratios, p).toFixed(3));
  process.stdout.write(`| ${name} | ${own} | ${other} | ${middle} | ${low} to ${high} |\n`);
}

const folder = mkdtempSync(join(tmpdir(), 'bert-qe-builds-'));
const parts: Record<string, object> = {};
if (wanted.includes('score')) {
  const texts = requests().flatMap(({ query, texts }) => texts.map((b) => ({ a: query, b })));
  for (const model of ['T', 'S']) {
    const options = { model, precision, device: 'cpu' };
    for (const count of [20, 100, 1000]) {
      const pairs = Array.from({ length: count }, (_, i) => texts[(i * 7) % texts.length]);
      parts[`score ${model}, ${count} passages`] = { kind: 'score', options, pairs };
    }
  }
}
if (wanted.includes('rerank')) {
  const setting = await openSetting(collectionFolder('scifact'), 0, Number(values.queries));
  for (const depth of [100, 1000]) {
    const queries = [];
    for (const query of setting.queries) {
      const ranking = (await setting.ranking(query)).slice(0, depth);
      const texts = await setting.index.get(ranking.map(({ id }) => id));
      const documents = ranking.map(({ id, score }) => ({ score, ...texts.get(id)! }));
      queries.push({ query: query.text, documents });
    }
    for (const models of ['TTT', 'SST']) {
      const options = { models, precision, device: 'cpu' };
      parts[`first 10 of ${depth}, ${models}, ${queries.length} queries`] = {
        kind: 'rerank',
        options,
        queries,
      };
    }
  }
  await setting.close();
}
const work = join(folder, 'work.json');
writeFileSync(work, JSON.stringify({ parts }));

process.stdout.write('| work | this | other | this/other | quartiles |\n|---|---|---|---|---|\n');
const children = builds.map((build) =>
  spawn(process.execPath, [join(import.meta.dirname, 'contender.mjs'), build, work], {
    stdio: ['pipe', 'pipe', 'inherit'],
  }),
);
const answers = children.map((child) => createInterface({ input: child.stdout })[Symbol.asyncIterator]());
for (const name of Object.keys(parts)) {
  await compare(
    name,
    children.map((child, i) => async () => {
      child.stdin.write(`${name}\n`);
      return Number((await answers[i].next()).value);
    }),
  );
}
for (const child of children) child.stdin.end();

if (wanted.includes('serve')) {
  const bodies = requests();
  for (const model of ['T', 'S']) {
    const options = [
      'serve',
      '--models',
      model,
      '--precision',
      precision,
      '--port',
      '0',
      '--log-level',
      'error',
    ];
    const servers = [];
    for (const build of builds) servers.push(await startServer([join(build, 'bin/bert-qe.js'), ...options]));
    const clients = servers.map(({ url }) => new HttpClient(url, bodies));
    for (const count of [1, 8]) {
      await compare(
        `a request with 20 documents, ${model}, ${count} clients`,
        clients.map((client) => async () => {
          const loop = await closedLoop({ clients: count, seconds: 3 }, (i) => client.must(i));
          return loop.seconds / loop.requests;
        }),
      );
    }
    for (const client of clients) client.close();
    for (const server of servers) await stopServer(server);
  }
}
rmSync(folder, { recursive: true });
