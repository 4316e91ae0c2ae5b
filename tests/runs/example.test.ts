import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/folders.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = temporaryFolder();

/** Runs the example, and stops it as a user would when it prints a line. */
async function example(out: string, stopAt?: RegExp): Promise<{ code: number | null; stdout: string }> {
  const child = spawn(process.execPath, [join(root, 'examples/rerank-run.mjs'), folder, out], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
  if (stopAt) {
    let seen = '';
    child.stdout.on('data', (part: Buffer) => {
      seen += part.toString();
      if (stopAt.test(seen)) child.kill('SIGKILL');
    });
  }
  const stdout = await text(child.stdout);
  return { code: await exit, stdout };
}

/** The first lines of a file of the demo. */
const lines = (name: string, count: number): string =>
  `${readFileSync(join(root, 'demo', name), 'utf8')
    .split('\n')
    .slice(0, count)
    .join('\n')}\n`;

test('the example re-ranks a run, and continues it after it was killed', { timeout: 240_000 }, async () => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'corpus.jsonl'), lines('corpus.jsonl', 20));
  writeFileSync(join(folder, 'queries.jsonl'), lines('queries.jsonl', 4));
  const [whole, killed] = [join(folder, 'whole.run'), join(folder, 'killed.run')];
  expect((await example(whole)).stdout).toMatch(/^1 of 4\n2 of 4\n3 of 4\n4 of 4\n\d+ pairs in [\d.]+ s\n$/);
  expect(await example(killed, /1 of 4/)).toMatchObject({ code: null });
  expect(existsSync(killed)).toBe(false);
  expect((await example(killed)).stdout).toMatch(/^\d queries were finished before\n/);
  expect(readFileSync(killed)).toEqual(readFileSync(whole));
});
