// node bench/builds/contender.mjs BUILD WORK.json: one build of the package, in a process of its own (run.ts).
// It answers each line, the name of a part of the work, with the seconds that the part takes.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

process.env.ORT_DISABLE_TELEMETRY = '1';
const [build, work] = process.argv.slice(2);
const { BertQE, BertScorer } = await import(pathToFileURL(resolve(build, 'dist/index.js')));
const { parts } = JSON.parse(readFileSync(work, 'utf8'));

/** Loaded when they are first asked for, so that a part pays for its own models alone. */
const loaded = new Map();
async function opened(key, open) {
  if (!loaded.has(key)) {
    for (const each of loaded.values()) await each.close();
    loaded.clear();
    loaded.set(key, await open());
  }
  return loaded.get(key);
}

async function run({ kind, options, pairs, queries }) {
  if (kind === 'score') {
    const scorer = await opened(JSON.stringify(options), () => BertScorer.load(options));
    const started = performance.now();
    await scorer.score(pairs);
    return performance.now() - started;
  }
  const reranker = await opened(JSON.stringify(options), () => BertQE.load(options));
  const started = performance.now();
  for (const { query, documents } of queries) await reranker.rerank(query, documents, { topK: 10 });
  return performance.now() - started;
}

for await (const name of createInterface({ input: process.stdin })) {
  process.stdout.write(`${(await run(parts[name])) / 1000}\n`);
}
for (const each of loaded.values()) await each.close();
