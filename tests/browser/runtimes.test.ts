import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { BertScorer } from '../../src/index.js';
import { demoPairs } from '../bert/scorer/demo-pairs.js';
import { temporaryFolder } from '../support/folders.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const pairs = demoPairs(20);

/** Scores the pairs, and prints the scores and the reason why the model was not kept. */
const program = `
import { BertScorer } from 'bert-qe/browser';
const scorer = await BertScorer.load({ model: 'T' });
const scores = Array.from(await scorer.score(${JSON.stringify(pairs)}));
await scorer.close();
console.log(JSON.stringify({ scores, notKept: scorer.info.notKept ?? null }));
`;

/** The program of a runtime: that of an environment variable, or the first on the path. */
function programOf(name: string): string | undefined {
  const named = process.env[name.toUpperCase()];
  const places = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name));
  return [named, ...places].find((path) => path !== undefined && existsSync(path));
}

describe('bert-qe/browser in other runtimes', { timeout: 120_000 }, () => {
  for (const [name, args] of [
    ['deno', ['run', '--allow-all']],
    ['bun', []],
  ] as const) {
    const path = programOf(name);
    const reason =
      path === undefined ? ` (skipped: it is not on the path, nor in ${name.toUpperCase()})` : '';
    it.skipIf(path === undefined)(`scores in ${name} as in Node${reason}`, async () => {
      const folder = temporaryFolder();
      mkdirSync(join(folder, 'node_modules'));
      symlinkSync(root, join(folder, 'node_modules/bert-qe'));
      symlinkSync(join(root, 'node_modules/onnxruntime-web'), join(folder, 'node_modules/onnxruntime-web'));
      writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
      writeFileSync(join(folder, 'main.js'), program);
      const output = execFileSync(path!, [...args, 'main.js'], { cwd: folder, encoding: 'utf8' });
      const { scores, notKept } = JSON.parse(output) as { scores: number[]; notKept: string | null };
      const scorer = await BertScorer.load({ model: 'T', precision: 'fp32' });
      const wanted = await scorer.score(pairs);
      await scorer.close();
      expect(scores).toHaveLength(pairs.length);
      scores.forEach((score, i) => expect(Math.abs(score - wanted[i])).toBeLessThan(1e-4));
      expect(notKept).toBeNull();
    });
  }
});
