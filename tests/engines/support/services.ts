import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const engines = process.env['BERT_QE_ENGINES'] ?? join(root, '../peers/engines');

/** The folder of a server that scripts/engines/install.sh has put together; undefined where there is none. */
export function engineFolder(kind: 'opensearch' | 'elasticsearch'): string | undefined {
  if (!existsSync(engines)) return undefined;
  const name = readdirSync(engines).find((entry) => entry.startsWith(`${kind}-`));
  return name && join(engines, name);
}

export const hasRedis = spawnSync('redis-server', ['--version']).status === 0;

/** The reason why a suite is skipped, for its name. */
export const withoutEngine = (kind: string): string =>
  `(skipped: no server; run scripts/engines/install.sh ${kind})`;
export const withoutRedis = '(skipped: redis-server is not installed)';

/** A server that can be killed and started again on the same data. */
export class Service {
  /** The folder of its files. */
  readonly data: string;
  #child: ChildProcess | undefined;

  constructor(
    readonly port: number,
    private readonly command: (data: string) => readonly string[],
    private readonly isUp: (isWhole: boolean) => Promise<boolean>,
  ) {
    this.data = mkdtempSync(join(tmpdir(), 'bert-qe-service-'));
  }

  /** Until it answers; with everything it had, unless that is too much to ask. */
  async start({ isWhole = true } = {}): Promise<this> {
    const [program, ...args] = this.command(this.data);
    // In a group of its own: Elasticsearch's command starts the server as another process.
    const child = spawn(program, args, { stdio: 'ignore', detached: true });
    this.#child = child;
    for (let tries = 0; tries < 1200; tries++) {
      if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}`);
      if (await this.isUp(isWhole).catch(() => false)) return this;
      await sleep(250);
    }
    throw new Error(`${program} did not start`);
  }

  /** As in a power cut. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    process.kill(-child.pid!, 'SIGKILL');
    await gone;
    for (let tries = 0; tries < 500 && isGroupAlive(child.pid!); tries++) await sleep(20);
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.data, { recursive: true, force: true });
  }
}

function isGroupAlive(leader: number): boolean {
  try {
    return process.kill(-leader, 0);
  } catch {
    return false;
  }
}

export function searchEngine(kind: 'opensearch' | 'elasticsearch', port: number): Service & { url: string } {
  const url = `http://127.0.0.1:${port}`;
  const service = new Service(
    port,
    (data) => [join(root, 'scripts/engines/run.sh'), engineFolder(kind)!, String(port), data],
    async (isWhole) => {
      const status = isWhole ? 'yellow' : 'red';
      const health = await fetch(`${url}/_cluster/health?wait_for_status=${status}&timeout=1s`);
      return health.ok;
    },
  );
  return Object.assign(service, { url });
}

export function redisServer(port: number): Service & { url: string } {
  const service = new Service(
    port,
    (data) => [
      'redis-server',
      '--port',
      String(port),
      '--dir',
      data,
      '--appendonly',
      'yes',
      '--appendfsync',
      'always',
    ],
    async () =>
      spawnSync('redis-cli', ['-p', String(port), 'ping'])
        .stdout.toString()
        .trim() === 'PONG',
  );
  return Object.assign(service, { url: `redis://127.0.0.1:${port}` });
}
