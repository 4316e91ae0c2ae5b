// What contenders in JavaScript do: load, score the first 20 pairs, and then as many as each line of the input says. Every
// answer is a line: milliseconds, or margins where `scores` is asked for.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const [folder] = process.argv.slice(2);

/** @param load Makes a function from pairs `{ a, b }` to margins. */
export async function contend(load) {
  const pairs = JSON.parse(readFileSync(join(folder, 'pairs.json'), 'utf8'));
  const score = await load();
  await score(pairs.slice(0, 20));
  console.log('ready');
  for await (const line of createInterface({ input: process.stdin })) {
    if (line === 'scores') {
      console.log(JSON.stringify(await score(pairs)));
      continue;
    }
    const some = pairs.slice(0, Number(line));
    const start = performance.now();
    await score(some);
    console.log(String(performance.now() - start));
  }
  process.exit();
}
