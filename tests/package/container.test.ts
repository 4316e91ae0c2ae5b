import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/folders.js';

const root = join(import.meta.dirname, '../..');
const isRoot = process.getuid?.() === 0;

/** A stage of the container file: its instructions, in order. */
interface Stage {
  readonly name: string;
  readonly steps: { readonly word: string; readonly rest: string }[];
}

function stages(): Stage[] {
  const found: Stage[] = [];
  for (const line of readFileSync(join(root, 'Dockerfile'), 'utf8').split('\n')) {
    const [, word, rest] = /^([A-Z]+) (.+)$/.exec(line) ?? [];
    if (word === 'FROM') found.push({ name: / AS (\w+)$/.exec(rest)?.[1] ?? 'final', steps: [] });
    else if (word !== undefined) found.at(-1)!.steps.push({ word, rest });
  }
  return found;
}

/** The file's stages, each run in a folder that stands for the root of its file system. */
class Build {
  readonly env: Record<string, string> = {};
  workdir = '';
  entry: string[] = [];
  health: string[] = [];
  user = 'root';

  constructor(private readonly folder: string) {}

  /** The place of a container's path on this machine. */
  at(stage: string, path: string): string {
    return path.startsWith('/')
      ? join(this.folder, stage, path)
      : join(this.folder, stage, this.workdir, path);
  }

  run({ name, steps }: Stage): void {
    for (const { word, rest } of steps) {
      if (word === 'WORKDIR') mkdirSync(this.at(name, (this.workdir = rest)), { recursive: true });
      else if (word === 'ENV')
        for (const pair of rest.split(' ')) {
          const [key, value] = pair.split('=');
          this.env[key] = value.startsWith('/') ? this.at(name, value) : value;
        }
      else if (word === 'COPY') this.#copy(name, rest);
      else if (word === 'RUN') this.#execute(name, rest);
      else if (word === 'USER') this.user = rest;
      else if (word === 'HEALTHCHECK') this.health = JSON.parse(rest.replace(/^.*CMD /, '')) as string[];
      else if (word === 'ENTRYPOINT' || word === 'CMD') this.entry.push(...(JSON.parse(rest) as string[]));
      else expect(word).toBe('EXPOSE');
    }
  }

  #copy(stage: string, rest: string): void {
    const [, from, source, target] = /^(?:--from=(\w+) )?(\S+) (\S+)$/.exec(rest)!;
    if (from === undefined) {
      // The checkout without what .dockerignore names, and what git does not know.
      const ignored = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n').filter(Boolean);
      const kept = (path: string) =>
        !ignored.some((name) =>
          name.startsWith('**/') ? basename(path) === name.slice(3) : path === join(root, name),
        );
      cpSync(root, this.at(stage, target), { recursive: true, filter: kept });
      return;
    }
    const options = { recursive: true, verbatimSymlinks: true };
    const [start, end] = basename(source).split('*');
    if (end === undefined) return cpSync(this.at(from, source), this.at(stage, target), options);
    const folder = this.at(from, dirname(source));
    const files = readdirSync(folder).filter((name) => name.startsWith(start) && name.endsWith(end));
    expect(files).toHaveLength(1);
    cpSync(join(folder, files[0]), join(this.at(stage, target), files[0]), options);
  }

  #execute(stage: string, command: string): void {
    const { status, stdout, stderr } = spawnSync('sh', ['-c', command], {
      cwd: this.at(stage, ''),
      encoding: 'utf8',
      env: { ...process.env, ...this.env },
    });
    expect(status, `${command}\n${stdout}${stderr}`).toBe(0);
  }
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0);
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return String(port);
}

test.runIf(process.platform === 'linux')(
  "the container file's steps, in folders: small, without root, healthy",
  async () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o755);
    const build = new Build(folder);
    for (const stage of stages()) build.run(stage);
    expect(build.user).toBe('node');
    const app = build.at('final', '/app');
    const { stdout } = spawnSync('du', ['-sm', app], { encoding: 'utf8' });
    expect(Number(stdout.split('\t')[0])).toBeLessThan(180);

    const port = await freePort();
    const user = isRoot ? { uid: 65_534, gid: 65_534 } : {};
    const place = { cwd: app, env: { ...process.env, ...build.env, HOME: '/nonexistent' }, ...user };
    const [command, ...args] = build.entry;
    const server = spawn(command, [...args, '--port', port], { ...place, stdio: ['ignore', 'pipe', 'pipe'] });
    let log = '';
    server.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
    const closed = new Promise<number | null>((resolve) => server.on('close', resolve));
    try {
      await Promise.race([new Promise((resolve) => server.stdout.once('data', resolve)), closed]);
      const health = build.health.map((word) => word.replace('8080', port));
      expect(spawnSync(health[0], health.slice(1), place).status, log).toBe(0);
      // Nothing was written and there is no warning: the models are converted, and the cache belongs to another user.
      expect(log).not.toMatch(/cache|warn/i);
    } finally {
      server.kill('SIGTERM');
      expect(await closed).toBe(0);
    }
    const [first, ...others] = build.health.map((word) => word.replace('8080', port));
    expect(spawnSync(first, others, place).status).toBe(1);
  },
);
