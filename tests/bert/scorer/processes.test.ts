import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const script = fileURLToPath(new URL('./scoring-process.js', import.meta.url));

function run(mode: string): { status: number | null; signal: string | null; stdout: string } {
  const { status, signal, stdout } = spawnSync(process.execPath, [script, mode], {
    encoding: 'utf8',
    timeout: 50_000,
  });
  return { status, signal, stdout };
}

/** Ending a process inside onnxruntime aborts it with SIGABRT, unless someone takes care. */
describe('a process that scores', () => {
  it('ends by itself after an aborted call, without closing the scorer', () => {
    expect(run('abort')).toEqual({ status: 0, signal: null, stdout: 'aborted\n' });
  });

  it('ends by itself when the scorer is forgotten', () => {
    expect(run('forget')).toEqual({ status: 0, signal: null, stdout: '3 scores\n' });
  });

  it('may call process.exit in the middle of a batch', () => {
    expect(run('exit')).toEqual({ status: 7, signal: null, stdout: 'leaving\n' });
  });

  it('may throw in the middle of a batch', () => {
    expect(run('throw')).toMatchObject({ status: 1, signal: null });
  });
});
