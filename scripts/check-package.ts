/**
 * Checks the package as it would be published:
 *
 *   npm run check:package
 *
 * Packs it (which builds it), and looks at the tarball: publint, are-the-types-wrong, the files and their sizes, the
 * links between its documents. Needs no network.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { brokenLinks } from './markdown-links.js';

const MB = 1e6;

/** The limits of the tarball. Most of it are the models. */
const budget = { packed: 22.4 * MB, unpacked: 27.3 * MB, unpackedWithoutModels: 3.9 * MB, files: 1350 };

/** Kinds of files that are of no use to users: maps to sources that are absent, screenshots, sources. */
const unwanted = /\.map$|\.png$|^src\/|\.test\./;

const root = join(import.meta.dirname, '..');
const work = mkdtempSync(join(tmpdir(), 'bert-qe-package-'));
const problems: string[] = [];

/** Runs a program of node_modules/.bin, or npm; what it prints is shown. */
function run(command: string, args: readonly string[], cwd = root): void {
  const path = `${join(root, 'node_modules/.bin')}${process.platform === 'win32' ? ';' : ':'}${process.env['PATH']}`;
  const { status } = spawnSync(command, args, {
    cwd,
    stdio: 'inherit',
    env: { ...process.env, PATH: path, npm_config_loglevel: 'error' },
    shell: process.platform === 'win32',
  });
  if (status !== 0) problems.push(`${command} ${args.join(' ')}: exit code ${status}`);
}

/** All files below a folder, with forward slashes, relative to it. */
function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();
}

/** The files that the fields of package.json name. */
function namedFiles(field: unknown): string[] {
  if (typeof field === 'string') return [field.replace(/^\.\//, '')];
  return Object.values(field as object).flatMap(namedFiles);
}

function checkFiles(folder: string, tarball: string): void {
  const files = filesBelow(folder);
  const sizes = new Map(files.map((file) => [file, statSync(join(folder, file)).size]));
  const total = (names: readonly string[]) => names.reduce((sum, name) => sum + sizes.get(name)!, 0);
  const found = {
    packed: statSync(tarball).size,
    unpacked: total(files),
    unpackedWithoutModels: total(files.filter((file) => !file.startsWith('models/'))),
    files: files.length,
  };
  for (const [name, limit] of Object.entries(budget)) {
    const value = found[name as keyof typeof found];
    console.log(`${name}: ${value.toLocaleString('en')} of ${limit.toLocaleString('en')}`);
    if (value > limit) problems.push(`${name}: ${value} is more than ${limit}`);
  }
  const useless = files.filter((file) => unwanted.test(file));
  if (useless.length > 0) problems.push(`files of no use to users: ${useless.join(' ')}`);

  const { exports, bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    exports: unknown;
    bin: unknown;
  };
  for (const file of [...namedFiles(exports), ...namedFiles(bin)])
    if (!sizes.has(file)) problems.push(`package.json names ${file}, which is not in the package`);

  for (const file of files.filter((file) => file.endsWith('.md'))) {
    const broken = brokenLinks(folder, file)
      // Sites that show the README take its pictures from the repository.
      .filter((link) => !(file === 'README.md' && link.endsWith('.png)')));
    if (broken.length > 0) problems.push(`${file}: links that lead out of the package: ${broken.join(' ')}`);
  }
}

try {
  // .npmrc turns scripts off for the sake of installs; packing needs `prepack`.
  run('npm', ['pack', '--ignore-scripts=false', '--silent', '--pack-destination', work]);
  const [name] = readdirSync(work);
  if (name !== undefined) {
    const tarball = join(work, name);
    run('publint', ['run', tarball, '--strict']);
    run('attw', [tarball, '--profile', 'esm-only', '--no-definitely-typed', '--no-emoji']);
    run('tar', ['-xzf', name], work);
    checkFiles(join(work, 'package'), tarball);
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
for (const problem of problems) console.error(`check-package: ${problem}`);
process.exitCode = problems.length > 0 ? 1 : 0;
