// A Web Extension that ranks the open tabs by a question: npm install bert-qe onnxruntime-web
// Beside this file it needs the library, a model and the runtime, since extensions load nothing from elsewhere:
//   mkdir models ort && cp -r node_modules/bert-qe/dist/browser browser && cp -r node_modules/bert-qe/models/tiny models
//   cp node_modules/onnxruntime-web/dist/ort.wasm.min.mjs ort
//   cp node_modules/onnxruntime-web/dist/ort-wasm-simd-threaded.[mw]* ort
import { BertQE } from './browser/index.js';

// Workers belong to pages: a panel or an offscreen document has them, the extension's service worker has not.
const loading = BertQE.load({ models: 'T', modelBase: 'models/', runtime: 'ort/', workers: 1 });

async function show(question) {
  const tabs = await chrome.tabs.query({});
  const bertQe = await loading;
  const titles = tabs.map(({ title = '' }) => title);
  const { results } = await bertQe.rerank(question, titles, { topK: 5 });
  const items = results.map(({ index }) => {
    const item = document.createElement('li');
    item.textContent = tabs[index].title;
    item.addEventListener('click', () => chrome.tabs.update(tabs[index].id, { active: true }));
    return item;
  });
  document.querySelector('ol').replaceChildren(...items);
}

document.querySelector('form').addEventListener('submit', (event) => {
  event.preventDefault();
  void show(event.target.question.value);
});
