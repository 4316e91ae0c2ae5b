import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../support/folders.js';
import { programs, quietRun } from './quiet-run.js';

const hasStrace = spawnSync('strace', ['--version']).status === 0;
const trace = join(temporaryFolder(), 'trace');
const under = ['strace', '-f', '-e', 'trace=network', '-o', trace];

/** The runtime's telemetry looks up its collector within seconds. */
const pauseMs = 12_000;

/** The calls that open or use a socket of the Internet. */
const internetCalls = () =>
  readFileSync(trace, 'utf8')
    .split('\n')
    .filter((line) => /AF_INET|sin_port|htons|sendto|sendmsg|sendmmsg/.test(line));

describe.runIf(hasStrace)('no socket is opened', () => {
  test.each(Object.entries(programs))('%s', async (_, program) => {
    expect(await quietRun(program, { under, pauseMs })).toEqual({ code: 0, stderr: '', files: [] });
    expect(internetCalls()).toEqual([]);
  });

  test('the server: but its own', async () => {
    const seconds = String(pauseMs / 1000 + 5);
    const { files } = await quietRun(['serve', '--port', '0', '--models', 'T'], {
      under: ['timeout', '--signal=TERM', seconds, ...under],
    });
    expect(files).toEqual([]);
    const calls = internetCalls();
    expect(calls.filter((line) => /listen|bind/.test(line))).not.toEqual([]);
    expect(calls.filter((line) => /connect|send/.test(line))).toEqual([]);
  });

  test('unless the telemetry is asked for', async () => {
    await quietRun(programs.library, { under, pauseMs, env: { BERT_QE_RUNTIME_TELEMETRY: '1' } });
    expect(internetCalls()).not.toEqual([]);
  });
});
