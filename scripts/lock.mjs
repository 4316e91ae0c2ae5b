// Writes package-lock.json: `node scripts/lock.mjs [FOLDER]`.
//
// npm leaves a platform's binary package out of the lock when the registry it asks lacks that one version, and
// `npm ci` then refuses the lock on every machine. Here each optional package that a locked package names is
// listed; npm takes those that fit the platform and passes over the others. Where a package came from is left
// out, so that any registry serves.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = process.argv[2] ?? '.';
const systems = [
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
];
const processors = [
  'arm64',
  'arm',
  'ia32',
  'loong64',
  'mips64el',
  'ppc64',
  'riscv64',
  's390x',
  'x64',
  'wasm32',
];

const work = mkdtempSync(join(tmpdir(), 'bert-qe-lock-'));
try {
  copyFileSync(join(folder, 'package.json'), join(work, 'package.json'));
  execFileSync('npm', ['install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: work,
    stdio: 'inherit',
  });
  const lock = JSON.parse(readFileSync(join(work, 'package-lock.json'), 'utf8'));
  for (const entry of Object.values(lock.packages)) delete entry.resolved;
  let added = 0;
  for (const [path, entry] of Object.entries({ ...lock.packages })) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      if (findable(lock.packages, path, name)) continue;
      lock.packages[`node_modules/${name}`] = {
        version,
        ...platform(name),
        ...(entry.dev ? { dev: true } : {}),
        optional: true,
      };
      added++;
    }
  }
  const [root, ...rest] = Object.entries(lock.packages);
  lock.packages = Object.fromEntries([root, ...rest.sort(([a], [b]) => (a < b ? -1 : 1))]);
  writeFileSync(join(folder, 'package-lock.json'), `${JSON.stringify(lock, null, 2)}\n`);
  console.log(`${rest.length + 1} packages, ${added} of them for other platforms and not in this registry`);
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** True if Node finds a package from another: beside it, or in a folder above. */
function findable(packages, from, name) {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('node_modules') - 1))) {
    if (packages[`${at === '' ? '' : `${at}/`}node_modules/${name}`] !== undefined) return true;
    if (at === '') return false;
  }
}

/** The platform a binary package is for, as its name says it. */
function platform(name) {
  const words = name.split(/[-/.]/);
  const os = systems.filter((system) => words.includes(system));
  const cpu = processors.filter((processor) => words.includes(processor));
  const libc = words.some((word) => word.startsWith('musl'))
    ? ['musl']
    : words.some((word) => word.startsWith('gnu'))
      ? ['glibc']
      : [];
  return {
    ...(cpu.length > 0 ? { cpu } : {}),
    ...(os.includes('linux') && libc.length > 0 ? { libc } : {}),
    ...(os.length > 0 ? { os } : {}),
  };
}
