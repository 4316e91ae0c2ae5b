import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { BertScorer } from '../../src/bert/scorer/bert-scorer.js';
import { demoPairs } from '../bert/scorer/demo-pairs.js';
import { bertQe, launcher } from '../support/cli.js';
import { temporaryFolder } from '../support/folders.js';
import { hasSignals } from '../support/platform.js';
import { jsonLines, refusal, words } from './support.js';

const folder = temporaryFolder();

function linesOf(values: readonly unknown[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join('');
}

interface Scored {
  readonly score: number;
  readonly logits: number[];
}

/** Asks for the scores of short pairs, and interrupts when the first come back. */
function interrupted(feed: (input: Writable, pairs: string) => void) {
  const child = spawn(process.execPath, [launcher, 'score', '--model', 'T', '--pairs', '-'], {
    stdio: 'pipe',
  });
  let stderr = '';
  child.stderr.on('data', (data) => (stderr += data));
  child.stdin.on('error', () => undefined);
  child.stdout.once('data', () => child.kill('SIGINT'));
  feed(child.stdin, linesOf(Array.from({ length: 500 }, (_, i) => ({ a: `query ${i}`, b: 'text' }))));
  return new Promise((resolve) => child.on('close', (code, signal) => resolve({ code, signal, stderr })));
}

describe('bert-qe score', () => {
  it('gives a line per pair, in order, with probability and logits', async () => {
    const pairs = demoPairs(60);
    const scorer = await BertScorer.load({ model: 'T' });
    const { values } = await scorer.scoreLogits(pairs);
    await scorer.close();
    const { code, stdout, stderr } = await bertQe(['score', '--model', 'T', '--pairs', '-'], {
      input: linesOf(pairs),
    });
    expect(code).toBe(0);
    expect(stderr).toMatch(/^60 pairs in .* with T: cpu, fp32, /);
    const scored = jsonLines<Scored>(stdout);
    expect(scored).toHaveLength(60);
    scored.forEach(({ score, logits }, i) => {
      expect(logits[0]).toBeCloseTo(values[2 * i], 5);
      expect(logits[1]).toBeCloseTo(values[2 * i + 1], 5);
      expect(score).toBeCloseTo(1 / (1 + Math.exp(logits[0] - logits[1])), 5);
    });
  });

  it('reads gzip and writes a file', async () => {
    const input = join(folder, 'pairs.jsonl.gz');
    const out = join(folder, 'scores.jsonl');
    writeFileSync(input, gzipSync(linesOf(demoPairs(5))));
    const args = words`score --model T --precision int8 --max-length 64 --pairs ${input}`;
    expect(await bertQe([...args, '--out', out])).toMatchObject({ code: 0, stdout: '' });
    expect(jsonLines(readFileSync(out, 'utf8'))).toHaveLength(5);
  });

  it('scores what comes before a bad line, then names the line', async () => {
    const bad = join(folder, 'bad.jsonl');
    writeFileSync(bad, `${linesOf(demoPairs(2))}\n{"a": "no b"}\n${linesOf(demoPairs(1))}`);
    const { code, stdout, stderr } = await bertQe(['score', '--model', 'T', '--pairs', bad]);
    expect(code).toBe(2);
    expect(jsonLines<Scored>(stdout)).toHaveLength(2);
    expect(stderr).toMatch(/bad\.jsonl:4: the pair has no strings "a" and "b"/);
    const cut = await bertQe(['score', '--model', 'T', '--pairs', '-'], { input: '{"a": "x", "b": ' });
    expect(cut).toMatchObject({ code: 2, stdout: '' });
    expect(cut.stderr).toMatch(/<stdin>:1: not JSON/);
  });

  it('gives nothing for an empty file', async () => {
    const { code, stdout, stderr } = await bertQe(['score', '--model', 'T', '--pairs', '-']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toMatch(/^0 pairs/);
  });

  it.each([
    [['--pairs', '-'], /score needs --model/],
    [['--model', 'T'], /score needs --pairs/],
    [['--model', 'T', '--pairs', 'none.jsonl'], /none\.jsonl: there is no such file/],
    [['--model', 'M', '--pairs', '-'], /No model "M": .*models get/],
    [['--model', 'T', '--pairs', '-', '--max-length', '9999'], /9999 is not possible/],
  ])('refuses %o', async (args, message) => {
    expect(refusal(await bertQe(['score', ...args]))).toMatch(message);
  });

  it.skipIf(!hasSignals)('ends with 130 on Ctrl-C, without aborting', async () => {
    const end = await interrupted((input, pairs) => {
      // No end of them: it is interrupted at work, however late that is.
      const feed = (): void => {
        while (input.write(pairs));
      };
      input.on('drain', feed);
      feed();
    });
    expect(end).toEqual({ code: 130, signal: null, stderr: 'bert-qe: interrupted\n' });
  });

  it.skipIf(!hasSignals)('ends with 130 on Ctrl-C while it waits for more pairs', async () => {
    const end = await interrupted((input, pairs) => {
      // Two blocks and a little more: the first is answered when the second is read, then nothing comes.
      for (let i = 0; i < 9; i++) input.write(pairs);
    });
    expect(end).toEqual({ code: 130, signal: null, stderr: 'bert-qe: interrupted\n' });
  });
});
