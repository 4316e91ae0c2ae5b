import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer } from './support.js';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
/** Inside this folder, so that the frameworks beside it are found; bert-qe is found as an installed package. */
const work = join(import.meta.dirname, 'node_modules/.examples');
const examples = readdirSync(join(root, 'examples')).filter((name) => name.endsWith('.mjs'));

beforeAll(() => {
  rmSync(work, { recursive: true, force: true });
  mkdirSync(join(work, 'node_modules'), { recursive: true });
  symlinkSync(root, join(work, 'node_modules/bert-qe'));
  // The example is for AI SDK 7; `ai` here is 6, which has a test of its own.
  symlinkSync(join(import.meta.dirname, 'node_modules/ai-v7'), join(work, 'node_modules/ai'));
  for (const name of examples) copyFileSync(join(root, 'examples', name), join(work, name));
});

afterAll(() => rmSync(work, { recursive: true, force: true }));

const answer = /^(0\.\d{3} .+\n){3}$/;

describe('the examples, unmodified', () => {
  it.each(examples.filter((name) => !['documents.mjs', 'cohere.mjs'].includes(name)))('%s', async (name) => {
    const { stdout } = await run(process.execPath, [join(work, name)]);
    expect(stdout).toMatch(answer);
    expect(stdout).toContain('break step');
    expect(stdout).not.toContain('Bread');
  });

  it('cohere.mjs', async () => {
    const { url } = await startServer({ models: ['SST'] });
    const { stdout } = await run(process.execPath, [join(work, 'cohere.mjs')], {
      env: { ...process.env, BERT_QE_URL: url },
    });
    expect(stdout).toMatch(answer);
  });
});

describe('the adapters', () => {
  it('are well typed against the frameworks, as these tests use them', async () => {
    const tsc = join(root, 'node_modules/.bin/tsc');
    const { stdout } = await run(tsc, ['-p', import.meta.dirname]).catch(
      (error: { stdout: string }) => error,
    );
    expect(stdout).toBe('');
  });
});
