import { eachPhase, withIds, type Phase, type PhaseScoreOptions } from '../../../src/expansion/core.js';
import { Topics } from '../../../src/server/catalogue/collection.js';
import { initialResults, searchAnswer } from '../../../src/server/search/answer.js';
import { throttled } from '../../../src/server/search/throttle.js';
import type { ExperimentsAnswer, SearchAnswer, SearchProgress, SearchRequest } from '../model/answer.js';
import { ClientProblem, type SearchListener } from '../state/client-problem.js';
import { fetchSite, loadLibrary, type BertScorer, type InputDocument, type MemoryIndex } from './library.js';
import { forget, scorerOf } from './models.js';
import type { SiteContent } from './site.js';

/** Answers in the page what `state/client.ts` asks of a server; the static site is built with this in its place. */
export { ClientProblem, type SearchListener };

/** Nobody asks for a key here. */
export function rememberKey(): void {}

/** Of more documents than this, the best by DPH and KL are re-ranked. */
const mostDirectly = 100;

const firstStage = 'DPH+KL';

const once = <T>(make: () => Promise<T>): (() => Promise<T>) => {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    made.catch(() => (made = undefined));
    return made;
  };
};

const content = once(async () => (await (await fetchSite('site.json')).json()) as SiteContent);

const demo = once(async () => {
  const { MemoryIndex } = await loadLibrary();
  return MemoryIndex.fromFile(await (await fetchSite('demo.index')).arrayBuffer());
});

export async function getJson<T>(path: string): Promise<T> {
  const { info, variants, queries } = await asked(content());
  const answers: Readonly<Record<string, unknown>> = {
    info,
    variants,
    queries: { queries },
    experiments: { experiments: [] } satisfies ExperimentsAnswer,
  };
  return answers[path] as T;
}

export async function getText(path: string): Promise<string> {
  return (await asked(fetchSite(path))).text();
}

/** Searches in this page, and reports on the way what is known; the result at the end. */
export async function search(
  request: SearchRequest,
  listener: SearchListener,
  signal: AbortSignal,
): Promise<SearchAnswer> {
  return asked(run(request, listener, signal));
}

async function run(
  request: SearchRequest,
  listener: SearchListener,
  signal: AbortSignal,
): Promise<SearchAnswer> {
  const started = performance.now();
  const site = await content();
  const { BertQE } = await loadLibrary();
  const { documents, stage } = await candidates(request, signal);
  const judged = new Topics(
    site.queries,
    new Map(Object.entries(site.qrels).map(([id, levels]) => [id, new Map(Object.entries(levels))])),
  ).judged(request.query, request.queryId);
  const retrieval = performance.now() - started;
  const initial = initialResults(documents, judged?.levels, request.texts);
  listener.initial({ firstStage: stage, results: initial });

  const variant = site.variants.variants.find(({ id, aliases }) =>
    [id, ...aliases].includes(request.model ?? site.variants.default),
  );
  if (!variant) throw new ClientProblem('not_found', `There is no model "${request.model}" on this site.`);
  const models = eachPhase((phase) => variant.models[phase]?.model ?? variant.models.phaseOne.model);
  const onProgress = throttled((progress) => listener.progress(progress));
  const bertQe = new BertQE(await scorersFor(models, site, listener, onProgress), {
    expansion: variant.expansion,
    depth: Math.max(1, documents.length),
  });
  const queued = performance.now();
  try {
    const reranking = await bertQe.rerank(request.query, documents, { explain: true, signal });
    return await searchAnswer({
      id: 'here',
      query: request.query,
      model: variant.id,
      firstStage: stage,
      documents,
      initial,
      judged,
      reranking,
      settings: bertQe.settings,
      signal,
      started,
      milliseconds: { retrieval, queue: queued - started - retrieval },
    });
  } catch (error) {
    // A scorer whose worker was stopped does not come back.
    if ((error as { code?: string }).code === 'failure')
      for (const model of Object.values(models)) forget(model);
    throw error;
  }
}

/** The documents of the request, or those that the first stage finds. */
async function candidates(
  { query, documents: given, depth = 30 }: SearchRequest,
  signal: AbortSignal,
): Promise<{ documents: (InputDocument & { id: string })[]; stage: string | null }> {
  const { MemoryIndex } = await loadLibrary();
  if (!given) return { documents: await found(await demo(), query, depth, signal), stage: firstStage };
  const documents = withIds(given);
  if (documents.length <= mostDirectly) return { documents: [...documents], stage: null };
  const index = await MemoryIndex.build(
    documents.map(({ id, title = '', text }) => ({ id, title, text })),
    { signal },
  );
  return { documents: await found(index, query, mostDirectly, signal), stage: firstStage };
}

async function found(index: MemoryIndex, text: string, depth: number, signal: AbortSignal) {
  const { DivergenceFeedback, KL, Searcher } = await loadLibrary();
  const searcher = new Searcher(index, { feedback: new DivergenceFeedback(KL) });
  const ranking = await searcher.search({ id: '1', text }, { depth, signal });
  const documents = await index.get(ranking.map(({ id }) => id));
  return ranking.map(({ id, score }) => ({ ...documents.get(id)!, score }));
}

/** The scorers of the phases, each of which reports how many pairs it has run of how many. */
async function scorersFor(
  models: Readonly<Record<Phase, string>>,
  { integrity }: SiteContent,
  listener: SearchListener,
  onProgress: (progress: SearchProgress) => void,
) {
  const loaded = new Map<string, BertScorer>();
  for (const model of new Set(Object.values(models))) {
    loaded.set(model, await scorerOf(folderOf(model), integrity, (text) => listener.note?.(text)));
  }
  return eachPhase((phase) => {
    let before = 0;
    return {
      async score(pairs: Parameters<BertScorer['score']>[0], options: PhaseScoreOptions) {
        const total = before + pairs.length;
        const report = (done: number): void => onProgress({ phase, pairs: before + done, total });
        report(0);
        const scores = await loaded.get(models[phase])!.score(pairs, {
          ...options,
          onProgress: (done, all) => {
            report(done);
            options.onProgress?.(done, all);
          },
        });
        before = total;
        return scores;
      },
      close: async () => {},
    };
  });
}

/** The folder of a model, which the page knows by its letter. */
function folderOf(letter: string): string {
  return ({ T: 'tiny', S: 'small' } as Record<string, string>)[letter] ?? letter;
}

/** Failures as the page shows them. */
async function asked<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ClientProblem) throw error;
    throw new ClientProblem('failure', error instanceof Error ? error.message : String(error));
  }
}
