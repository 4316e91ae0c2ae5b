// Bundles bert-qe/browser: node scripts/browser-bundle.mjs   (part of npm run build, after tsc)
// Two scripts, dist/browser/index.js for pages and worker.js for their workers, which need no bundler; onnxruntime-web
// stays outside. Fails where a file that browsers would load needs Node.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));
const out = join(root, 'dist/browser');

/** Folder → file → hash, of the models that come with the package. */
function shippedModels() {
  const models = join(root, 'models');
  const hashesOf = (folder) =>
    readdirSync(join(models, folder))
      .filter((name) => !name.endsWith('.md'))
      .map((name) => {
        const hash = createHash('sha256').update(readFileSync(join(models, folder, name)));
        return [name, `sha256-${hash.digest('base64')}`];
      });
  return Object.fromEntries(
    readdirSync(models).map((folder) => [folder, Object.fromEntries(hashesOf(folder))]),
  );
}

// Of tsc's output, only the declarations are needed.
for (const name of readdirSync(out)) if (name.endsWith('.js')) rmSync(join(out, name));
await build({
  cwd: root,
  input: { index: 'src/browser/index.ts', worker: 'src/browser/worker.ts' },
  platform: 'browser',
  external: /^onnxruntime-web\//,
  transform: { define: { SHIPPED_MODELS: JSON.stringify(shippedModels()) } },
  onLog(level, log) {
    throw new Error(`the browser's bundle: ${log.message}`);
  },
  output: {
    dir: out,
    format: 'esm',
    minify: true,
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
  },
});
