/**
 * Builds the static site: npm run build:site [-- FOLDER]   (default: site)
 *
 * The page with its models in the browser, the documentation and its search, as plain files for any static host. Needs
 * the generator of the documentation: npm ci --prefix web/site
 */
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { build } from 'vite';
import { convertModel, readModelConfig, SIZE_FOLDERS } from '../src/bert/index.js';
import { readDocuments, readQrels, readQueries, type Document } from '../src/collection/index.js';
import { DEFAULTS, settingsFrom } from '../src/expansion/index.js';
import { MemoryIndex } from '../src/retrieval/index.js';
import { describeVariants, Measurements, namedVariant, Topics } from '../src/server/catalogue/index.js';
import { defaultLimits } from '../src/server/limits.js';
import type { SiteContent } from '../web/src/local/site.js';
import { policy } from '../web/policy.js';
import { renderDocs } from './site/docs.js';
import { sectionsOf } from './site/pages.js';

/** The variants that the site offers, the first by default: the smallest download. */
const variants = ['TTT', DEFAULTS.models, 'T'];

/** Files up to this size are there at the first visit; larger ones are kept when they are first used. */
const shellBytes = 1 << 20;

const root = resolve(import.meta.dirname, '..');
const out = resolve(process.argv[2] ?? join(root, 'site'));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };

if (!existsSync(join(root, 'web/site/node_modules'))) {
  process.stderr.write('The generator of the documentation is not installed: npm ci --prefix web/site\n');
  process.exit(2);
}
if (existsSync(out) && readdirSync(out).length > 0 && !existsSync(join(out, 'site.json'))) {
  process.stderr.write(`${out} holds something else than a site; name another folder.\n`);
  process.exit(2);
}
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
await build({
  root: join(root, 'web'),
  mode: 'site',
  logLevel: 'warn',
  build: { outDir: out, emptyOutDir: false },
});
cpSync(join(root, 'dist/browser'), join(out, 'browser'), { recursive: true, filter: isScript });
copyRuntime();
const content = await siteContent();
writeFileSync(join(out, 'site.json'), JSON.stringify(content));
writeFileSync(join(out, 'demo.index'), await (await MemoryIndex.build(await demoDocuments())).toFile());
const pages = await renderDocs(root, out, policy);
const sections = pages.flatMap(sectionsOf);
writeFileSync(join(out, 'docs.index'), await (await MemoryIndex.build(sections)).toFile());
for (const name of ['icon.svg', 'app.webmanifest']) cpSync(join(root, 'web/site', name), join(out, name));
const styles = ['web/src/style/tokens.css', 'web/site/docs.css'].map((file) =>
  readFileSync(join(root, file), 'utf8'),
);
writeFileSync(join(out, 'docs.css'), styles.join('\n'));
writeServiceWorker();
process.stdout.write(`${pages.length} pages, ${sections.length} sections to search, in ${out}\n`);

function isScript(path: string): boolean {
  return statSync(path).isDirectory() || path.endsWith('.js');
}

/** The part of onnxruntime-web that runs models with WebAssembly. */
function copyRuntime(): void {
  const dist = join(root, 'node_modules/onnxruntime-web/dist');
  mkdirSync(join(out, 'ort'));
  for (const name of ['ort.wasm.min.mjs', 'ort-wasm-simd-threaded.mjs', 'ort-wasm-simd-threaded.wasm']) {
    cpSync(join(dist, name), join(out, 'ort', name));
  }
}

async function demoDocuments(): Promise<Document[]> {
  const documents: Document[] = [];
  for await (const { origin: _, ...document } of readDocuments(join(root, 'demo'))) documents.push(document);
  return documents;
}

/** Writes the models, and says what the page would else ask of a server. */
async function siteContent(): Promise<SiteContent> {
  const integrity: Record<string, Record<string, string>> = {};
  for (const letter of new Set(variants.flatMap((text) => namedVariant(text).models))) {
    const folder = SIZE_FOLDERS[letter as keyof typeof SIZE_FOLDERS];
    await convertModel(join(root, 'models', folder), join(out, 'models', folder), { format: 'web' });
    integrity[folder] = hashesOf(join(out, 'models', folder));
  }
  const described = await Promise.all(
    variants.map(async (text) => {
      const { id, name, aliases, models } = namedVariant(text);
      const [phaseOne, phaseTwo = phaseOne, phaseThree = phaseOne] = await Promise.all(models.map(describe));
      const expansion = models.length > 1;
      return {
        id,
        name,
        aliases,
        expansion,
        models: { bestPassage: phaseOne, phaseOne, phaseTwo, phaseThree },
      };
    }),
  );
  const queries = await readQueries(join(root, 'demo/queries.jsonl'));
  const qrels = await readQrels(join(root, 'demo/qrels.txt'));
  const topics = new Topics(queries, qrels);
  const { statistics } = await MemoryIndex.build(await demoDocuments());
  const [{ id }] = described;
  return {
    info: {
      name: 'bert-qe',
      version,
      model: id,
      model_id: id,
      model_type: { reranker: { id2label: { '0': 'LABEL_0' }, label2id: { LABEL_0: 0 } } },
      collection: {
        documents: statistics.documents,
        terms: statistics.tokens,
        firstStage: 'DPH+KL',
        depth: 30,
      },
      queries: queries.length,
      judged: queries.filter(({ id }) => qrels.has(id)).length,
      experiments: 0,
      limits: defaultLimits,
    },
    variants: describeVariants(described, settingsFrom(), new Measurements()),
    queries: queries.map(({ id, text }) => ({ id, text, relevant: topics.relevant(id) })),
    qrels: Object.fromEntries([...qrels].map(([id, levels]) => [id, Object.fromEntries(levels)])),
    integrity,
  };
}

/** A model of the site, as its page describes it. */
async function describe(name: string) {
  const folder = SIZE_FOLDERS[name as keyof typeof SIZE_FOLDERS];
  const shape = await readModelConfig(join(out, 'models', folder));
  return { name, shape, size: name as 'T', precision: 'fp32', device: 'wasm' };
}

/** The hashes of a model's files; those of compressed files are of their content. */
function hashesOf(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder).map((name) => {
      const bytes = readFileSync(join(folder, name));
      const content = name.endsWith('.gz') ? gunzipSync(bytes) : bytes;
      return [name, `sha256-${createHash('sha256').update(content).digest('base64')}`];
    }),
  );
}

/** The service worker, with the names of this version's files. */
function writeServiceWorker(): void {
  const files = readdirSync(out, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(out.length + 1)
        .split(sep)
        .join('/'),
    )
    .sort();
  const hash = createHash('sha256');
  for (const file of files) hash.update(file).update(readFileSync(join(out, file)));
  const shell = files
    .filter((file) => !file.startsWith('models/') && statSync(join(out, file)).size <= shellBytes)
    // A page is asked for by the name of its folder.
    .flatMap((file) =>
      file.endsWith('index.html') ? [file, `./${file.slice(0, -'index.html'.length)}`] : [file],
    );
  const worker = readFileSync(join(root, 'web/site/sw.js'), 'utf8')
    .replace('%VERSION%', hash.digest('hex').slice(0, 16))
    .replace("['%SHELL%']", JSON.stringify([...new Set(shell)]));
  writeFileSync(join(out, 'sw.js'), worker);
}
