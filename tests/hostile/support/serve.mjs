// A server in a process of its own, which measures how long its serving thread is held.
import { readFileSync } from 'node:fs';
import { RerankServer, ServerLog } from '../../../dist/server/index.js';

const options = JSON.parse(process.argv[2] ?? '{}');

/** CPU milliseconds of this thread: other work on the machine does not count. Wall time where that cannot be read. */
function cpuMs() {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ', 1)[0]) / 1e6;
  } catch {
    return performance.now();
  }
}

let longest = 0;
let last = cpuMs();
function look() {
  const now = cpuMs();
  longest = Math.max(longest, now - last);
  last = now;
}
setInterval(look, 2);

process.on('message', (asked) => {
  look();
  if (asked === 'stop') return void server.stop(1000).then(() => process.exit(0));
  if (asked === 'memory') for (let i = 0; i < 3; i++) globalThis.gc?.();
  const { rss, heapUsed, external } = process.memoryUsage();
  process.send({ longest, rss, held: heapUsed + external });
  last = cpuMs();
  longest = 0;
});

const server = await RerankServer.start({
  version: '0.0.0-test',
  log: new ServerLog('silent', process.stderr),
  models: ['TTT', 'T'],
  port: 0,
  ...options,
});
process.send({ url: server.url });
