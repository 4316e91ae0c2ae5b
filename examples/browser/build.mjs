// A search for a documentation site: npm install bert-qe onnxruntime-web && node build.mjs FOLDER OUT
// FOLDER holds the documents (Markdown, HTML, text, …). OUT is a folder of your site: it gets the index, the library,
// the model and the runtime, which search.html beside this file uses. Any static host serves them.
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MemoryIndex, readDocuments } from 'bert-qe';

const [folder, out] = process.argv.slice(2);
const documents = [];
for await (const { id, title, text } of readDocuments(folder)) documents.push({ id, title, text });
mkdirSync(join(out, 'ort'), { recursive: true });
writeFileSync(join(out, 'site.index'), await (await MemoryIndex.build(documents)).toFile());

const library = dirname(fileURLToPath(import.meta.resolve('bert-qe/browser')));
cpSync(library, join(out, 'browser'), { recursive: true, filter: (path) => !path.endsWith('.d.ts') });
cpSync(join(library, '../../models/tiny'), join(out, 'models/tiny'), { recursive: true });
const runtime = dirname(fileURLToPath(import.meta.resolve('onnxruntime-web/wasm')));
for (const name of ['ort.wasm.min.mjs', 'ort-wasm-simd-threaded.mjs', 'ort-wasm-simd-threaded.wasm']) {
  cpSync(join(runtime, name), join(out, 'ort', name));
}
console.log(`${documents.length} documents in ${out}`);
