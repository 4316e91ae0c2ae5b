import { execFile, spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { pages, testPage } from '../docs/programs.js';
import { World } from '../docs/world.js';
import { programsWith, quietRun } from '../bert/runtime/quiet-run.js';
import { temporaryFolder } from '../support/folders.js';
import { InstalledPackage } from './install.js';

const installed = new InstalledPackage(temporaryFolder());

beforeAll(() => installed.install());

let hasFrameworks = false;

/** Installs the frameworks, once, and copies the examples out of the package, as a user would. */
function installExamples(): void {
  if (hasFrameworks) return;
  hasFrameworks = true;
  installed.installFrameworks();
  for (const name of readdirSync(join(installed.bertQe, 'examples')))
    cpSync(join(installed.bertQe, 'examples', name), join(installed.folder, name), { recursive: true });
}

/** Starts the server, asks it something, and stops it as an operator would. */
async function withServer<T>(args: readonly string[], ask: (url: string) => Promise<T>): Promise<T> {
  const server = installed.start(['serve', '--port', '0', ...args]);
  const closed = new Promise<number | null>((resolve) => server.on('close', resolve));
  try {
    const url = await new Promise<string>((resolve, reject) => {
      server.stdout.setEncoding('utf8').once('data', (line: string) => resolve(line.trim()));
      server.on('close', (code) => reject(new Error(`serve ended with ${code}`)));
    });
    return await ask(url.replace(/\/$/, ''));
  } finally {
    server.kill('SIGTERM');
    expect(await closed).toBe(0);
  }
}

describe('the package', () => {
  test('holds everything that its package.json names', () => {
    const { bin, exports } = JSON.parse(readFileSync(join(installed.bertQe, 'package.json'), 'utf8')) as {
      bin: Record<string, string>;
      exports: Record<string, string | { types: string; default: string }>;
    };
    const named = Object.values(exports).flatMap((target) =>
      typeof target === 'string' ? [target] : [target.types, target.default],
    );
    for (const file of [...named, ...Object.values(bin)])
      expect(existsSync(join(installed.bertQe, file)), file).toBe(true);
  });

  test('is well typed in a strict program, declarations included, without its optional peers', async () => {
    const entries = ['bert-qe', 'bert-qe/ai-sdk', 'bert-qe/genkit', 'bert-qe/server'];
    const imports = entries
      .map((entry, i) => `import * as entry${i} from '${entry}';\nentry${i};\n`)
      .join('');
    const readme = pages.get('README.md')!.filter(({ language }) => language === 'ts');
    expect(readme.length).toBeGreaterThan(0);
    const world = new World(installed.installation, temporaryFolder());
    const programs = [...readme, { name: 'entries', code: imports }];
    expect(await world.typeErrors(programs, { skipLibCheck: false })).toBe('');
  });
});

const hasStrace = spawnSync('strace', ['--version']).status === 0;

/** A program that loads a model and closes it. */
const loading = (load: string) => `${load}.BertQE.load({ models: 'T' })
    .then((reranker) => reranker.close())
    .then(() => console.log('closed'))`;

describe('the library', () => {
  const run = promisify(execFile);

  test('is imported, and required', async () => {
    for (const load of [
      "(await import('bert-qe'))",
      "process.getBuiltinModule('module').createRequire(process.cwd() + '/x')('bert-qe')",
    ]) {
      const args = ['--no-warnings', '--input-type=module', '--eval', loading(load)];
      const { stdout } = await run(process.execPath, args, { cwd: installed.folder });
      expect(stdout).toBe('closed\n');
    }
  });

  test('says how to install the runtime where it is missing', async () => {
    const runtime = join(installed.packages, 'onnxruntime-node');
    renameSync(runtime, `${runtime}-aside`);
    try {
      const args = ['--input-type=module', '--eval', loading("(await import('bert-qe'))")];
      await expect(run(process.execPath, args, { cwd: installed.folder })).rejects.toThrow(
        'run: npm install --ignore-scripts onnxruntime-node',
      );
    } finally {
      renameSync(`${runtime}-aside`, runtime);
    }
  });
});

testPage('README.md', () => installed.installation);

describe('the installed command', () => {
  test('shows its version and its help', async () => {
    const { version } = JSON.parse(readFileSync(join(installed.bertQe, 'package.json'), 'utf8')) as {
      version: string;
    };
    expect(await installed.run(['--version'])).toMatchObject({ code: 0, stdout: `${version}\n` });
    const { code, stdout } = await installed.run(['--help']);
    expect(code).toBe(0);
    expect(stdout).toContain('rerank');
  });

  test('runs the demonstration', async () => {
    const { code, stdout, stderr } = await installed.run(['demo']);
    expect(code, stderr).toBe(0);
    expect(stdout).toContain('nDCG');
  });

  test('serves re-ranking, its page and its description', async () => {
    await withServer(['--demo'], async (url) => {
      const answer = await fetch(`${url}/v2/rerank`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          model: 'bert-qe-SST',
          query: 'keeping bread fresh',
          documents: ['bread', 'bees'],
        }),
      });
      expect(answer.status).toBe(200);
      const { results } = (await answer.json()) as { results: { index: number }[] };
      expect(results.map(({ index }) => index)).toEqual([0, 1]);
      for (const path of ['/', '/openapi.json', '/docs'])
        expect((await fetch(url + path)).status, path).toBe(200);
    });
  });
});

describe('the examples, unmodified, beside the real frameworks', () => {
  const source = join(import.meta.dirname, '../../examples');
  const run = promisify(execFile);
  const answer = /^(0\.\d{3} .+\n){3}$/;
  const others = new Set(['documents.mjs', 'cohere.mjs', 'rerank-run.mjs']);
  beforeAll(installExamples);

  const adapters = readdirSync(source).filter((name) => name.endsWith('.mjs') && !others.has(name));

  test.each(adapters)('%s', async (name) => {
    const { stdout } = await run(process.execPath, [name], { cwd: installed.folder });
    expect(stdout).toMatch(answer);
    expect(stdout).toContain('break step');
    expect(stdout).not.toContain('Bread');
  });

  test('rerank-run.mjs', async () => {
    const { folder } = new World(installed.installation, temporaryFolder());
    const out = join(folder, 'out.run');
    await run(process.execPath, ['rerank-run.mjs', join(folder, 'corpus'), out], { cwd: installed.folder });
    expect(readFileSync(out, 'utf8')).toMatch(/^\S+ Q0 bread-\S+ 1 \S+ \S+\n/);
  });

  test('cohere.mjs', async () => {
    await withServer([], async (url) => {
      const env = { ...process.env, BERT_QE_URL: url };
      const { stdout } = await run(process.execPath, ['cohere.mjs'], { cwd: installed.folder, env });
      expect(stdout).toMatch(answer);
    });
  });
});

/** The runtime's telemetry looks up its collector within seconds. */
const pauseMs = 10_000;

describe.runIf(hasStrace)('a trace of the installed package', () => {
  beforeAll(installExamples);

  const trace = join(installed.folder, 'trace');
  const under = ['strace', '-f', '-e', 'trace=network,openat', '-o', trace];
  const options = { under, pauseMs, bertQe: installed.bertQe, cwd: installed.folder };

  /** The calls that open or use a socket of the Internet, or read what names are looked up by. */
  function internetCalls(): string[] {
    const calls = readFileSync(trace, 'utf8').split('\n');
    // Programs that do not score would show nothing.
    expect(calls.some((line) => line.includes('libonnxruntime.so'))).toBe(true);
    return calls.filter((line) => /AF_INET|sin_port|sendto|sendmsg|sendmmsg|resolv\.conf/.test(line));
  }

  const silent = { code: 0, stderr: '', files: [] };
  const programs = programsWith(installed.bertQe);

  test.each(Object.keys(programs))('%s: no socket is opened and no name looked up', async (name) => {
    expect(await quietRun(programs[name], options)).toEqual(silent);
    expect(internetCalls()).toEqual([]);
  });

  test.each(['ai-sdk.mjs', 'genkit.mjs', 'langchain.mjs'])('the adapter of %s', async (name) => {
    expect(await quietRun(`await import('${join(installed.folder, name)}')`, options)).toMatchObject({
      code: 0,
      files: [],
    });
    expect(internetCalls()).toEqual([]);
  });

  test('the command line', async () => {
    const args = ['rerank', 'bread', '--documents', join(installed.bertQe, 'demo'), '--depth', '3'];
    expect(await quietRun(args, options)).toMatchObject({ code: 0, files: [] });
    expect(internetCalls()).toEqual([]);
  });

  test('the server opens its own socket only', async () => {
    const stopped = ['timeout', '--signal=TERM', String(pauseMs / 1000 + 5), ...under];
    const { files } = await quietRun(['serve', '--port', '0', '--demo'], { ...options, under: stopped });
    expect(files).toEqual([]);
    const calls = internetCalls();
    expect(calls.filter((line) => line.includes('bind('))).not.toEqual([]);
    expect(calls.filter((line) => /connect|send/.test(line))).toEqual([]);
  });

  test.each(['library', 'child process'])(
    '%s: the same program shows the telemetry that is asked for',
    async (name) => {
      await quietRun(programs[name], { ...options, env: { BERT_QE_RUNTIME_TELEMETRY: '1' } });
      expect(internetCalls()).not.toEqual([]);
    },
  );
});
