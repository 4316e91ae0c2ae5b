// node --import tsx bench/expansion/end-to-end.ts COLLECTION [--models TTT] [--queries 8] [--kills 4]
//   (after npm run build)
//
// `bert-qe rerank` as a user runs it, from DPH+KL, depth 1000: once for a few queries, once for three times as many, and
// once more for those with kill -9 in between. Prints a JSON line: peak memory of the first two, and whether the killed
// one ended with the same bytes.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { readQrels, readQueries } from '../../src/collection/index.js';

export interface EndToEnd {
  readonly collection: string;
  readonly models: string;
  readonly few: { readonly queries: number; readonly peakMiB: number; readonly seconds: number };
  readonly many: { readonly queries: number; readonly peakMiB: number; readonly seconds: number };
  readonly kills: number;
  readonly sameBytes: boolean;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    models: { type: 'string', default: 'TTT' },
    queries: { type: 'string', default: '8' },
    kills: { type: 'string', default: '4' },
  },
});
const [collection] = positionals;
const folder = mkdtempSync(join(tmpdir(), 'bench-expansion-'));
const at = (name: string): string => join(folder, name);

/** Runs the launcher; resolves with its peak resident set, or after `killAfter` seconds kills it with -9. */
function bertQe(args: readonly string[], killAfter?: number): Promise<{ peakMiB: number; killed: boolean }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['bin/bert-qe.js', ...args], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    let peakMiB = 0;
    const watch = setInterval(() => {
      const [, kib] = /VmHWM:\s+(\d+)/.exec(statusOf(child.pid)) ?? [];
      if (kib !== undefined) peakMiB = Number(kib) / 1024;
    }, 200);
    const killer =
      killAfter === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfter * 1000);
    child.on('close', (code, signal) => {
      clearInterval(watch);
      clearTimeout(killer);
      if (code === 0 || signal === 'SIGKILL') resolve({ peakMiB, killed: signal === 'SIGKILL' });
      else reject(new Error(`bert-qe ${args.join(' ')} ended with ${code ?? signal}`));
    });
  });
}

function statusOf(pid: number | undefined): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return '';
  }
}

try {
  await bertQe(['index', collection, '--out', at('index'), '--analyzer', 'terrier']);
  const judged = await readQrels(join(collection, 'qrels.txt'));
  const queries = (await readQueries(collection)).filter(({ id }) => judged.has(id));
  const rerank = (queriesFile: string, out: string, killAfter?: number) =>
    bertQe(
      ['rerank', '--index', at('index'), '--queries', queriesFile, '--out', out].concat(
        `--model dph --expand kl --depth 1000 --models ${values.models}`.split(' '),
      ),
      killAfter,
    );
  const ask = (name: string, count: number): string => {
    const lines = queries.slice(0, count).map(({ id, text }) => `${JSON.stringify({ _id: id, text })}\n`);
    writeFileSync(at(name), lines.join(''));
    return at(name);
  };
  const measured = async (name: string, count: number) => {
    const start = performance.now();
    const { peakMiB } = await rerank(ask(`${name}.jsonl`, count), at(`${name}.run`));
    return { queries: count, peakMiB, seconds: (performance.now() - start) / 1000 };
  };
  const count = Number(values.queries);
  const few = await measured('few', count);
  const many = await measured('many', 3 * count);
  let kills = 0;
  while (kills < Number(values.kills)) {
    // At another point of a query's work each time.
    const { killed } = await rerank(
      at('few.jsonl'),
      at('killed.run'),
      (few.seconds / count) * (1.3 + 0.37 * kills),
    );
    if (!killed) break;
    kills++;
  }
  await rerank(at('few.jsonl'), at('killed.run'));
  const result: EndToEnd = {
    collection: basename(collection),
    models: values.models,
    few,
    many,
    kills,
    sameBytes: readFileSync(at('killed.run')).equals(readFileSync(at('few.run'))),
  };
  process.stdout.write(`${JSON.stringify(result)}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
