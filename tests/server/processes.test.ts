import { spawn, type ChildProcess } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { main } from '../../src/cli/main.js';
import { launcher } from '../support/cli.js';
import { temporaryFolder } from '../support/folders.js';
import { hasSignals } from '../support/platform.js';
import { demoTexts, get, LogLines, metric, post, until } from './support/server.js';

const query = 'why did the bridge sway in the wind';
let child: ChildProcess | undefined;

/** `bert-qe serve` as a user starts it. */
async function serve(...args: string[]) {
  const started = spawn(process.execPath, [launcher, 'serve', '--port', '0', ...args]);
  child = started;
  let stdout = '';
  let stderr = '';
  started.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  started.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  // Not 'exit', after which there may still be something to read.
  const exit = new Promise<number | null>((resolve) => started.on('close', resolve));
  await Promise.race([
    until(() => stdout.includes('\n')),
    exit.then(() => {
      throw new Error(`serve ended: ${stderr}`);
    }),
  ]);
  return { url: stdout.trim(), exit, started, log: () => stderr };
}

/** The command in this process, for what ends before a server starts. */
async function run(...args: string[]) {
  const stderr = new LogLines();
  const io = { stdout: new LogLines(), stderr, signal: new AbortController().signal };
  return { code: await main(['serve', ...args], io), stderr: stderr.text };
}

afterEach(() => {
  child?.kill('SIGKILL');
  child = undefined;
});

describe('bert-qe serve', () => {
  it.skipIf(!hasSignals)(
    'serves the demo, and on SIGTERM answers everything it has admitted before it ends',
    async () => {
      const patience = ['--deadline', '3600', '--drain', '3600'];
      const { url, exit, started, log } = await serve(
        '--demo',
        '--models',
        'TTT',
        '--depth',
        '10',
        ...patience,
      );
      expect((await post(`${url}/search`, { query })).body['results']).toHaveLength(10);
      const texts = await demoTexts(8);
      // In this order none is counted twice; where an answer falls in between, the next count has it.
      const arrived = async () =>
        (await metric(url, 'bert_qe_requests_total{route="/v2/rerank",status="200"}')) +
        (await metric(url, 'bert_qe_open_requests'));
      const before = await arrived();
      const answers = Array.from({ length: 4 }, () => post(`${url}/v2/rerank`, { query, documents: texts }));
      await until(async () => (await arrived()) >= before + 4);
      started.kill('SIGTERM');
      for (const { status, body } of await Promise.all(answers)) {
        expect(status).toBe(200);
        expect(body['results']).toHaveLength(8);
      }
      expect(await exit).toBe(0);
      expect(log()).toContain('"msg":"stopped"');
      await expect(get(`${url}/ready`)).rejects.toThrow(/fetch failed/);
    },
  );

  it.skipIf(!hasSignals)(
    'takes no new work while it drains, and gives up what is not done in time',
    async () => {
      const { url, exit, started } = await serve('--models', 'TTT', '--drain', '1');
      const texts = await demoTexts(30);
      const documents = Array.from({ length: 900 }, (_, i) => `${i} ${texts[i % texts.length]}`);
      // Kept open, so that the connection survives the closing of the port.
      const long = post(`${url}/v2/rerank`, { query, documents }, { 'X-Timeout-Ms': '30000' });
      await until(async () => (await metric(url, 'bert_qe_pending_tokens')) > 0);
      started.kill('SIGTERM');
      const { status, body } = await long;
      expect([status, body['error_type']]).toEqual([503, 'draining']);
      expect(await exit).toBe(0);
    },
  );

  it.skipIf(process.platform !== 'linux')(
    'scores on threads that give way to the one that serves',
    async () => {
      const { started } = await serve('--models', 'T');
      const threads = readdirSync(`/proc/${started.pid}/task`).map(Number);
      const serving = getPriority(started.pid);
      expect(serving).toBe(getPriority());
      // A machine has at least one worker; the highest niceness suffices.
      expect(threads.map((thread) => getPriority(thread))).toContain(Math.min(19, serving + 1));
    },
  );

  it('says what is wrong with its options in one line, and exits with 2', async () => {
    const folder = temporaryFolder();
    const empty = join(folder, 'keys.txt');
    writeFileSync(empty, '\n');
    const wrong: [string[], RegExp][] = [
      [['--api-keys', empty], /keys\.txt: has no key in it/],
      [['--api-keys', join(folder, 'none')], /none: cannot be read/],
      [['--qrels', 'a'], /--qrels has no effect without --index/],
      [['--models', 'a+b'], /"a\+b" names no models/],
      [['--models', 'T', '--alias', '*=T', '--strict-models'], /leave one out/],
      [['--models', 'T', '--alias', 'x=SST'], /"SST" is not among the models served \(tiny\)/],
      [['--index', join(folder, 'none')], /none/],
    ];
    for (const [args, message] of wrong) {
      const { code, stderr } = await run(...args);
      expect(stderr).toMatch(message);
      expect(stderr.trimEnd().split('\n')).toHaveLength(1);
      expect(code).toBe(2);
    }
  });

  it('says so when the port is taken', async () => {
    const { url } = await serve('--models', 'T');
    const { code, stderr } = await run('--models', 'T', '--port', new URL(url).port);
    expect(stderr).toMatch(
      /Cannot listen on 127\.0\.0\.1:\d+: another program has it; give another --port\./,
    );
    expect(code).toBe(2);
  });
});
