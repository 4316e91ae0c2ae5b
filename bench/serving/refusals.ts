// npm run build && node --import tsx bench/serving/refusals.ts MODEL REQUESTS_PER_SECOND ROUNDS
// Overload again and again, a line of JSON a round: how often refusals are late, of which run.ts shows one round alone.
import { closedLoop } from './closed-loop.js';
import { ourServer, stopServer } from './contenders.js';
import { HttpClient } from './http-client.js';
import { overload } from './overload.js';
import { requests } from './workload.js';

const [model, perSecond, rounds] = process.argv.slice(2);
const warmUpSeconds = 15;
const roundSeconds = 8;
const deadlineMs = 5000;

const server = await ourServer(model);
const client = new HttpClient(server.url, requests());
await closedLoop({ clients: 8, seconds: warmUpSeconds }, (i) => client.must(i));
client.close();
const seen = { refused: 0, over: 0, ours: 0, late: 0, failed: 0, longest: 0 };
for (let round = 0; round < Number(rounds); round++) {
  const found = await overload(server, Number(perSecond), roundSeconds, deadlineMs);
  seen.refused += found.refused;
  seen.over += found.slowRefusals;
  seen.ours += found.slowRefusalsOfOurs;
  seen.late += found.late;
  seen.failed += found.failed;
  seen.longest = Math.max(seen.longest, found.refusedMs.max);
  const { sent, answered, refused, refusedMs, slowRefusals, slowRefusalsOfOurs, stolen } = found;
  console.log(
    JSON.stringify({ sent, answered, refused, refusedMs, slowRefusals, slowRefusalsOfOurs, stolen }),
  );
}
console.log(JSON.stringify(seen));
await stopServer(server);
