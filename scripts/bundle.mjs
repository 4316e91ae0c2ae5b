// Bundles what Node runs: node scripts/bundle.mjs   (part of npm run build, after tsc)
// A process that imports one file starts several times as fast as one that imports 440. The entry points share chunks, so
// that a class is the same in all of them; a worker thread loads one file of its own.
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');

const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const entries = Object.values(exports)
  .flatMap(({ default: file }) => /^\.\/dist\/(?!browser\/)(.+)\.js$/.exec(file ?? '')?.[1] ?? [])
  .concat('cli/main');

/** What threads and processes of our own run, as workerUrl names it. */
const workers = [
  'bert/scorer/worker',
  'bert/compile/calibration-worker',
  'bert/runtime/probe',
  'training/engine/worker',
];

// Files of an earlier build.
for (const name of readdirSync(dist, { recursive: true })) {
  if (name.endsWith('.js') && !/^(?:browser|web)\b/.test(name)) rmSync(join(dist, name));
}

const sources = (names) => Object.fromEntries(names.map((name) => [name, `src/${name}.ts`]));

for (const input of [sources(entries), ...workers.map((name) => sources([name]))]) {
  await build({
    cwd: root,
    input,
    platform: 'node',
    // Dependencies and optional peers.
    external: /^[^./]/,
    onLog(level, log) {
      throw new Error(`the bundle: ${log.message}`);
    },
    output: { dir: dist, format: 'esm', entryFileNames: '[name].js', chunkFileNames: 'chunks/[name].js' },
  });
}
