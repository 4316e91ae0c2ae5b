// Bundles bert-qe/browser: node scripts/browser-bundle.mjs   (part of npm run build, after tsc)
// Two scripts, dist/browser/index.js for pages and worker.js for their workers, which need no bundler; onnxruntime-web
// stays outside. Fails where a file that browsers would load needs Node.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));
const out = join(root, 'dist/browser');

/** The most bytes, compressed, that a page loads of the library. Tokenizers of other families are loaded when a model needs one. */
const budget = 60_000;

/** The files of a model that pages load. */
const LOADED = new Set(['config.json', 'tokenizer.json', 'tokenizer_config.json', 'model.safetensors']);

/** Folder → file → hash, of the models that come with the package. */
function shippedModels() {
  const models = join(root, 'models');
  const hashesOf = (folder) =>
    readdirSync(join(models, folder))
      .filter((name) => LOADED.has(name))
      .map((name) => {
        const hash = createHash('sha256').update(readFileSync(join(models, folder, name)));
        return [name, `sha256-${hash.digest('base64')}`];
      });
  return Object.fromEntries(
    readdirSync(models).map((folder) => [folder, Object.fromEntries(hashesOf(folder))]),
  );
}

// Files of an earlier build.
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

const loaded = readdirSync(out).filter((name) => name.endsWith('.js') && name !== 'library-tokenizer.js');
const size = loaded.reduce(
  (sum, name) => sum + gzipSync(readFileSync(join(out, name)), { level: 9 }).length,
  0,
);
if (size > budget) throw new Error(`bert-qe/browser: ${size} bytes with gzip are more than ${budget}`);
