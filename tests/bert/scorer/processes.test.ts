import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';

const script = fileURLToPath(new URL('./scoring-process.js', import.meta.url));

interface Ended {
  readonly status: number | null;
  readonly signal: string | null;
  readonly stdout: string;
}

function run(mode: string): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script, mode], { stdio: ['ignore', 'pipe', 'ignore'] });
    // A process that does not end by itself does not outlive its test.
    onTestFinished(() => void child.kill('SIGKILL'));
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.on('error', reject);
    child.on('close', (status, signal) => resolve({ status, signal, stdout }));
  });
}

/** Ending a process inside onnxruntime aborts it with SIGABRT, unless someone takes care. */
describe('a process that scores', () => {
  it('ends by itself after an aborted call, without closing the scorer', async () => {
    expect(await run('abort')).toEqual({ status: 0, signal: null, stdout: 'aborted\n' });
  });

  it('ends by itself when the scorer is forgotten', async () => {
    expect(await run('forget')).toEqual({ status: 0, signal: null, stdout: '3 scores\n' });
  });

  it('may call process.exit in the middle of a batch', async () => {
    expect(await run('exit')).toEqual({ status: 7, signal: null, stdout: 'leaving\n' });
  });

  it('may throw in the middle of a batch', async () => {
    expect(await run('throw')).toMatchObject({ status: 1, signal: null });
  });
});
