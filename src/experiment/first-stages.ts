import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  readDocuments,
  writeRun,
  type ElementChoice,
  type QueryRanking,
  type SourcedDocument,
} from '../collection/index.js';
import { inputError, throwIfAborted } from '../common/errors.js';
import { hashJson } from '../common/hash.js';
import { buildIndex, createAnalyzer, Index, Searcher } from '../retrieval/index.js';
import type { ExperimentFile } from './file/schema.js';
import type { Inputs } from './inputs.js';
import type { FirstStageSystem, GivenSystem } from './systems.js';
import type { ProgressTracker } from './progress.js';
import type { Manifest } from './store/manifest.js';

/** The text analysis of an index; `given` is that of the index which the experiment names. */
type Analysis = 'terrier' | 'anserini' | 'plain' | 'given';

/** The first stages of an experiment. An index is built per text analysis when it is needed. */
export class FirstStages {
  readonly #indexes = new Map<Analysis, Index>();

  constructor(
    private readonly experiment: ExperimentFile,
    private readonly inputs: Inputs,
    private readonly manifest: Manifest,
    private readonly tracker: ProgressTracker,
  ) {}

  /** Ranks all queries and gives the path of the run. */
  async run(system: FirstStageSystem): Promise<string> {
    const { name, id, firstStage } = system;
    const analysis = this.#analysisOf(firstStage.analyzer);
    if (analysis !== 'given') this.manifest.keep(indexStep(analysis));
    const { queries } = this.inputs.digests;
    const inputs = ['search 1', this.#indexKey(analysis), queries, name, this.experiment.retrieve];
    const { file } = await this.manifest.runOf(system, inputs, async (path) => {
      const searcher = new Searcher(await this.index(analysis), firstStage.models);
      await writeRun(path, this.#rankings(searcher, name), { tag: id });
    });
    return file;
  }

  /** An index of the documents, for their texts: that of the initial ranking. */
  async anyIndex(system: FirstStageSystem | GivenSystem): Promise<{ index: Index; key: string }> {
    const analysis = this.#analysisOf('run' in system ? 'terrier' : system.firstStage.analyzer);
    const { titles } = this.experiment.collection;
    const { documents } = this.inputs.digests;
    return {
      index: await this.index(analysis),
      key: titles === 'apart' ? documents : hashJson(documents, titles),
    };
  }

  async index(analysis: Analysis): Promise<Index> {
    const known = this.#indexes.get(analysis);
    if (known) return known;
    const index = Index.open(analysis === 'given' ? this.inputs.index! : await this.#build(analysis));
    this.#checkCount(index.statistics);
    this.#indexes.set(analysis, index);
    return index;
  }

  /** Throws where the index has another number of documents than the file says. */
  #checkCount({ documents }: Index['statistics']): void {
    const { count = documents } = this.experiment.collection;
    if (documents === count) return;
    const [found, wanted] = [documents, count].map((number) => number.toLocaleString('en-US'));
    throw inputError(
      `${this.inputs.documents} has ${found} documents${this.#leftOut()} and not ${wanted}, as ` +
        'collection.count says: a part of the collection is missing or too many, or "leaveOut" is wrong. ' +
        'Mend that, or change collection.count.',
    );
  }

  #leftOut(): string {
    const { leaveOut = [] } = this.experiment.collection;
    return leaveOut.length === 0 ? '' : ` without ${leaveOut.map((beginning) => `${beginning}…`).join(', ')}`;
  }

  /** Builds the index where it is missing, and gives its folder. */
  async #build(analysis: Exclude<Analysis, 'given'>): Promise<string> {
    const folder = join(this.manifest.folder, 'work', `index-${analysis}`);
    const { documents } = this.inputs;
    await this.manifest.run(
      {
        name: indexStep(analysis),
        inputs: ['index 1', this.#indexKey(analysis)],
        outputs: [],
        isIntact: () => existsSync(join(folder, 'index.json')),
      },
      async () => {
        const { signal } = this.tracker;
        const { format, titles, leaveOut } = this.experiment.collection;
        const read = readDocuments(documents, { format, leaveOut, elements: this.#elementsOf(analysis) });
        await buildIndex(titles === 'in-text' ? titlesInText(read) : read, {
          folder,
          analyzer: createAnalyzer({ base: analysis }),
          signal,
          onProgress: ({ done }) => this.tracker.update(`index (${analysis})`, done),
        });
      },
    );
    return folder;
  }

  async close(): Promise<void> {
    for (const index of this.#indexes.values()) await index.close();
  }

  #indexKey(analysis: Analysis): readonly string[] {
    const { format, titles, leaveOut = [] } = this.experiment.collection;
    const elements = analysis === 'given' ? 'text' : this.#elementsOf(analysis);
    return [
      this.inputs.digests.documents,
      format,
      analysis,
      ...(titles === 'apart' ? [] : [titles]),
      ...(elements === 'text' ? [] : [`elements of ${elements}`]),
      ...leaveOut.map((beginning) => `without ${beginning}`),
    ];
  }

  #elementsOf(analysis: Exclude<Analysis, 'given'>): ElementChoice {
    const { elements } = this.experiment.collection;
    if (elements !== 'of-analyzer') return elements;
    return analysis === 'plain' ? 'text' : analysis;
  }

  #analysisOf(own: 'terrier' | 'anserini'): Analysis {
    if (this.inputs.index !== undefined) return 'given';
    const { analyzer } = this.experiment.index;
    return analyzer === 'auto' ? own : analyzer;
  }

  async *#rankings(searcher: Searcher, name: string): AsyncGenerator<QueryRanking> {
    const { queries } = this.inputs;
    const { signal } = this.tracker;
    let done = 0;
    for (const query of queries.values()) {
      throwIfAborted(signal);
      const ranking = await searcher.search(query, { depth: this.experiment.retrieve, signal });
      yield { query: query.id, ranking };
      this.tracker.update(name, ++done, queries.size);
    }
  }
}

/** Documents whose title is the beginning of their text. */
async function* titlesInText(
  documents: AsyncIterable<SourcedDocument>,
): AsyncGenerator<Omit<SourcedDocument, 'title'>> {
  for await (const { title = '', ...document } of documents) {
    yield title === '' ? document : { ...document, text: `${title}\n${document.text}` };
  }
}

function indexStep(analysis: Analysis): string {
  return `index ${analysis}`;
}
