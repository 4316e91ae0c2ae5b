import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const program = fileURLToPath(new URL('terminated-worker.mjs', import.meta.url));

function run(...args: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

describe('a worker thread of an application', () => {
  test('can be terminated while it scores, and the process lives on', () => {
    expect(run()).toEqual({ status: 0, output: 'alive, 2 results\n' });
  });

  test('does not abort the process when that ends while it scores', () => {
    expect(run('exit')).toEqual({ status: 7, output: '' });
  });
});
