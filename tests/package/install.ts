import { spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CliResult } from '../support/cli.js';
import type { Installation } from '../docs/world.js';

const root = join(import.meta.dirname, '../..');

/** The packages of a package.json of this project, with their ranges, for `npm install`. */
function ranges(file: string, names: readonly string[]): string[] {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, file), 'utf8')) as Record<
    string,
    Record<string, string>
  >;
  const all = { ...dependencies, ...devDependencies };
  return names.map((name) => {
    if (all[name] === undefined) throw new Error(`${file} does not name ${name}`);
    // AI SDK 7 is `ai-v7` there, beside version 6.
    return name === 'ai-v7' ? all[name].replace('npm:', '') : `${name}@${all[name]}`;
  });
}

/** The package as users get it: packed, and installed from the tarball into an empty folder. */
export class InstalledPackage {
  constructor(readonly folder: string) {
    writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  }

  /** Packs the checkout, and installs it with the tools that a TypeScript project has. */
  install(): void {
    const tools = ranges('package.json', ['typescript', '@types/node', 'tsx']);
    this.add(pack(this.folder), ...tools);
  }

  /** Installs packages as the documentation says. */
  add(...packages: readonly string[]): void {
    npm(this.folder, ['install', '--ignore-scripts', ...packages]);
  }

  /** Installs the frameworks that the examples are for. */
  installFrameworks(): void {
    const names = ['ai-v7', '@langchain/core', '@langchain/classic', 'genkit', 'cohere-ai'];
    this.add(...ranges('tests/frameworks/package.json', names));
  }

  get packages(): string {
    return join(this.folder, 'node_modules');
  }

  get bertQe(): string {
    return join(this.packages, 'bert-qe');
  }

  /** The installation as a place where programs of the documentation run. */
  get installation(): Installation {
    return { bertQe: this.bertQe, packages: this.packages, imported: ['tsx'] };
  }

  /** Starts the command that npm has installed, as `npx bert-qe` would. */
  start(args: readonly string[]) {
    const isWindows = process.platform === 'win32';
    const command = join(this.packages, '.bin', isWindows ? 'bert-qe.cmd' : 'bert-qe');
    return spawn(command, args, { cwd: this.folder, stdio: 'pipe', shell: isWindows });
  }

  /** Runs the command to its end. */
  async run(args: readonly string[]): Promise<CliResult> {
    const child = this.start(args);
    child.stdin.end();
    const text = { stdout: '', stderr: '' };
    for (const stream of ['stdout', 'stderr'] as const)
      child[stream].setEncoding('utf8').on('data', (part: string) => (text[stream] += part));
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', resolve);
    });
    return { code, ...text };
  }
}

/** Packs the checkout, which builds it, into a folder. Returns the tarball's path. */
export function pack(folder: string): string {
  npm(root, ['pack', '--ignore-scripts=false', '--pack-destination', folder]);
  return join(
    folder,
    readdirSync(folder).find((name) => name.endsWith('.tgz'))!,
  );
}

export function npm(cwd: string, args: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync('npm', [...args, '--no-audit', '--no-fund'], {
    cwd,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error(`npm ${args.join(' ')}:\n${stdout}${stderr}`);
  // Users would see npm's warnings at an installation.
  if (/deprecated/.test(stderr)) throw new Error(`npm ${args.join(' ')}:\n${stderr}`);
}
