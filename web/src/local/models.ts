import { loadLibrary, site, type BertScorer } from './library.js';
import { keepForOffline } from './offline.js';
import type { SiteContent } from './site.js';

const scorers = new Map<string, Promise<BertScorer>>();

/** The scorer of a model of this site, loaded once. `note` hears of its download, and why it was not kept. */
export function scorerOf(
  folder: string,
  integrity: SiteContent['integrity'],
  note: (text: string) => void,
): Promise<BertScorer> {
  let scorer = scorers.get(folder);
  if (!scorer) {
    scorer = load(folder, integrity, note);
    scorers.set(folder, scorer);
    // A model that could not be loaded is asked for again.
    scorer.catch(() => scorers.delete(folder));
  }
  return scorer;
}

/** Ends a scorer that failed, so that the next search loads it again. */
export function forget(folder: string): void {
  void scorers.get(folder)?.then((scorer) => scorer.close());
  scorers.delete(folder);
}

async function load(
  folder: string,
  integrity: SiteContent['integrity'],
  note: (text: string) => void,
): Promise<BertScorer> {
  const { BertScorer } = await loadLibrary();
  note(`Opening the model ${folder}`);
  const scorer = await BertScorer.load({
    model: new URL(`models/${folder}/`, site).href,
    weights: 'model.safetensors.gz',
    runtime: new URL('ort/', site).href,
    ...(integrity[folder] ? { integrity: integrity[folder] } : {}),
    onDownload: ({ file, loaded, total }) => {
      const of = total === undefined ? '' : ` of ${megabytes(total)}`;
      note(`Fetching the model ${folder}, once: ${file}, ${megabytes(loaded)}${of} MB`);
    },
  });
  keepForOffline('ort/ort-wasm-simd-threaded.wasm');
  const { notKept } = scorer.info;
  note(notKept === undefined ? '' : `The model will be fetched again next time: ${notKept}.`);
  return scorer;
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
