import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readDocuments, readFolds, readQrels, readQueries, readRun } from '../../src/collection/index.js';
import { evaluate } from '../../src/evaluation/index.js';
import { BertQE } from '../../src/expansion/index.js';
import { buildIndex, createAnalyzer, Index } from '../../src/retrieval/index.js';
import { temporaryFolder } from '../support/folders.js';
import { rowsOf, runExperiment } from './run-experiment.js';
import { fakeModels } from './fake-model.js';
import { smallExperiment, type SmallExperiment } from './small-experiment.js';

/** Runs the missing steps; returns their names and the number of pairs that each model was asked. */
async function go({ file, models }: SmallExperiment, out: string) {
  const fake = fakeModels();
  const outcome = await runExperiment(file, { out, openModel: fake.open });
  return { ...outcome, asked: { T: fake.asked.get(models.T) ?? 0, S: fake.asked.get(models.S) ?? 0 } };
}

const steps = {
  retrieval: ['index terrier', 'run DPH+KL', 'run DPH', 'index anserini', 'run BM25+RM3'],
  tiny: [
    'run BERT-QE-TTT',
    'run BERT-QE-TTT without rel(q,d)',
    'run BERT-QE-TTT, chunks from DPH+KL',
    'run BERT-QE-TTT, kc=6, m=5',
    'run BERT-QE-TTT, kc=2, m=5',
    'run BERT-QE-TTT, kc=6, m=10',
    'run BERT-QE-TTT, kc=2, m=10',
  ],
};
const all = [...steps.retrieval, 'run BERT-Tiny', 'run BERT-Small', 'run BERT-QE-STT', ...steps.tiny];

describe('two experiments into one folder', () => {
  test('the second is refused while the first runs', async () => {
    const folder = temporaryFolder();
    const small = smallExperiment(folder, {
      variants: ['TTT'],
      baselines: [],
      ablations: undefined,
      grid: undefined,
    });
    const out = join(folder, 'out');
    let refusal: Promise<unknown> | undefined;
    const onProgress = (): void => {
      refusal ??= go(small, out).catch((error: unknown) => error);
    };
    await runExperiment(small.file, { out, openModel: fakeModels().open, onProgress });
    expect(await refusal).toMatchObject({
      code: 'locked',
      message: `${out} is being written by process ${process.pid}; wait for it, or write elsewhere.`,
    });
  });
});

describe('an experiment', () => {
  const folder = temporaryFolder();
  const small = smallExperiment(folder);
  const out = join(folder, 'out');
  const summary = (system: string, measure: string) =>
    rowsOf(out, 'variants').find(({ Model }) => Model === system)![measure];

  test('runs every step once and asks no model the same twice', async () => {
    const { ran, results, asked } = await go(small, out);
    expect(ran.toSorted()).toEqual(all.toSorted());
    expect(results.variants.map(({ name }) => name)).toEqual(['BERT-QE-TTT', 'BERT-QE-STT']);
    // STT takes its first round from S and everything else from T; T alone has the ablations and the grid.
    expect(asked.T).toBeGreaterThan(0);
    const first = results.baselines.find(({ name }) => name === 'BERT-Small')!;
    expect(asked.S).toBe(Math.round(first.reranking!.cost.pairs * 12));
  });

  test('reports what evaluate says of the runs it wrote', async () => {
    const run = await readRun(join(out, 'runs/BERT-QE-TTT.run'));
    const { summary: measured } = evaluate(run, await readQrels(small.qrels), {
      measures: ['nDCG@20', 'AP@100'],
    });
    expect(summary('BERT-QE-TTT', 'nDCG@20')).toBe(measured.get('nDCG@20'));
    expect(summary('BERT-QE-TTT', 'AP@100')).toBe(measured.get('AP@100'));
  });

  test('ranks as the re-ranker itself does with the α and β of each fold', async () => {
    const { results } = await go(small, out);
    const run = await readRun(join(out, 'runs/BERT-QE-TTT.run'));
    const initial = await readRun(join(out, 'runs/DPH+KL.run'));
    const queries = await readQueries(small.queries);
    const texts = new Map<string, { title?: string; text: string }>();
    for await (const { id, title, text } of readDocuments(small.corpus))
      texts.set(id, { ...(title && { title }), text });
    const scorer = await fakeModels().open(small.models.T, { device: 'cpu', precision: 'fp32' });
    const folds = results.variants[0].reranking!.folds;
    for (const [i, query] of queries.entries()) {
      // Round-robin: ids are 1, 2, 3, …
      const { alpha, beta } = folds[i % 3];
      // An experiment has the paper's ten words of a chunk and its way to the best passages where its file does not say
      // otherwise.
      const method = {
        kd: 3,
        kc: 4,
        chunkWords: 10,
        depth: 15,
        passageChoice: 'exhaustive',
      } as const;
      const bertQe = new BertQE({ phaseOne: scorer }, { ...method, alpha, beta });
      const documents = initial.get(query.id)!.map(({ id, score }) => ({ id, ...texts.get(id)!, score }));
      const { results: expected } = await bertQe.rerank(query.text, documents);
      expect(run.get(query.id)).toEqual(expected.map(({ id, score }) => ({ id, score })));
    }
  });

  test('renders a page that needs no other file, with every table and figure on it', async () => {
    const page = readFileSync(join(out, 'report.html'), 'utf8');
    expect(page).not.toMatch(/(?:src|href)="(?!#)/);
    expect(page).not.toMatch(/@import|url\(/);
    const sections = [...page.matchAll(/<section id="(\w+)">/g)].map(([, id]) => id);
    expect(sections).toEqual([
      'main',
      'variants',
      'differences',
      'ablations',
      'grid',
      'folds',
      'interpolation',
    ]);
    // Cost, kc and m, and the gains of two variants.
    expect(page.match(/<svg /g)).toHaveLength(4);
    for (const id of [...sections, 'gains']) {
      for (const format of ['md', 'tex', 'csv', 'json']) {
        expect(
          readFileSync(join(out, `tables/${id}.${format}`), 'utf8').length,
          `${id}.${format}`,
        ).toBeGreaterThan(50);
      }
    }
  });

  test('has nothing to do when nothing changed, and loads no model', async () => {
    expect(await go(small, out)).toMatchObject({ ran: [], asked: { T: 0, S: 0 } });
  });

  test('makes a run again that was damaged or removed, without asking a model', async () => {
    appendFileSync(join(out, 'runs/BERT-QE-STT.run'), 'damage\n');
    rmSync(join(out, 'runs/DPH.run'));
    const { ran, asked } = await go(small, out);
    expect(ran.toSorted()).toEqual(['run BERT-QE-STT', 'run DPH']);
    expect(asked).toEqual({ T: 0, S: 0 });
  });

  test('with other judgements tunes again but asks no model', async () => {
    const before = readFileSync(small.qrels, 'utf8');
    writeFileSync(
      small.qrels,
      before.replace(/ (\d)\n/, (_, level) => ` ${Number(level) + 1}\n`),
    );
    const { ran, asked } = await go(small, out);
    expect(ran.toSorted()).toEqual(all.filter((step) => step.startsWith('run BERT')).toSorted());
    expect(asked).toEqual({ T: 0, S: 0 });
    writeFileSync(small.qrels, before);
    await go(small, out);
  });

  test('with one query changed asks the models about that query only', async () => {
    const before = readFileSync(small.queries, 'utf8');
    const whole = await askedInAll();
    writeFileSync(small.queries, before.replace(/"text": "/, '"text": "old '));
    const { asked, ran } = await go(small, out);
    expect(ran).not.toContain('index terrier');
    expect(asked.S).toBeGreaterThan(0);
    expect(asked.S).toBeLessThan(whole.S / 6);
    expect(asked.T).toBeLessThan(whole.T / 6);
    writeFileSync(small.queries, before);
    // Back to settings whose scores are all stored.
    expect((await go(small, out)).asked).toEqual({ T: 0, S: 0 });
  });

  test('with another model runs what uses it and nothing else', async () => {
    writeFileSync(join(small.models.S, 'config.json'), JSON.stringify({ size: 'S', again: true }));
    const { ran, asked } = await go(small, out);
    expect(ran.toSorted()).toEqual(['run BERT-QE-STT', 'run BERT-Small']);
    expect(asked.S).toBeGreaterThan(0);
    // S chose the same texts as before, so all scores of T are stored.
    expect(asked.T).toBe(0);
  });

  test('does not take a note beside a model for another model', async () => {
    writeFileSync(join(small.models.S, 'README.md'), 'a note');
    expect((await go(small, out)).ran).toEqual([]);
  });

  test('with a variant more runs that variant', async () => {
    small.write({ variants: ['TTT', 'STT', 'TST'] });
    const { ran } = await go(small, out);
    expect(ran).toEqual(['run BERT-QE-TST']);
    small.write({});
    expect((await go(small, out)).ran).toEqual([]);
  });

  test('with another document builds the indexes again, and asks about changed candidates only', async () => {
    const whole = await askedInAll();
    appendFileSync(small.corpus, `${JSON.stringify({ _id: 'extra', title: '', text: 'zzyzx' })}\n`);
    const { ran, asked } = await go(small, out);
    expect(ran).toContain('index terrier');
    expect(asked.T).toBeLessThan(whole.T / 2);
  });

  async function askedInAll() {
    const fresh = join(folder, 'fresh');
    rmSync(fresh, { recursive: true, force: true });
    return (await go(small, fresh)).asked;
  }
});

describe('models that were fine-tuned per fold', () => {
  const folder = temporaryFolder();
  const small = smallExperiment(folder, {
    models: { T: { general: './models/t', fineTuned: './models/fold-{fold}' } },
    variants: ['TTT'],
    baselines: ['T'],
    ablations: undefined,
    grid: undefined,
  });

  test('score the queries of their fold, and the general one chooses passages and chunks', async () => {
    for (const fold of [1, 2, 3]) {
      mkdirSync(join(folder, 'models', `fold-${fold}`));
      writeFileSync(join(folder, 'models', `fold-${fold}`, 'config.json'), `{"fold": ${fold}}`);
    }
    const fake = fakeModels();
    await runExperiment(small.file, { out: join(folder, 'out'), openModel: fake.open });
    expect(fake.opened.map((path) => path.split('/').at(-1)).toSorted()).toEqual([
      'fold-1',
      'fold-2',
      'fold-3',
      't',
    ]);
    const manifest = JSON.parse(readFileSync(join(folder, 'out/manifest.json'), 'utf8')) as {
      models: Record<string, unknown>;
    };
    expect(Object.keys(manifest.models)).toHaveLength(4);
  });
});

describe('inputs that do not fit together', () => {
  const folder = temporaryFolder();
  const small = smallExperiment(folder);
  const complaint = (settings: Record<string, unknown>) => {
    small.write(settings);
    return expect(go(small, join(folder, 'out'))).rejects;
  };

  test('are named: a fold with an unknown query', async () => {
    const folds = join(folder, 'folds.json');
    writeFileSync(folds, JSON.stringify([['1', '2'], ['3', '99'], ['4']]));
    expect(await readFolds(folds)).toHaveLength(3);
    await complaint({ folds: './folds.json' }).toThrow('the folds have query "99"');
  });

  test('are named: too few judged queries', async () => {
    await complaint({ folds: { roundRobin: 20 } }).toThrow(
      '12 of the queries are judged, too few for 20 folds',
    );
  });

  test('are named: an initial run of another collection', async () => {
    const run = join(folder, 'other.run');
    writeFileSync(run, '1 Q0 nowhere 1 1.5 x\n');
    await complaint({ initial: { run: './other.run' } }).toThrow('Document "nowhere", ranked for query "1"');
  });

  test('are named: a model that is not there, before anything is indexed', async () => {
    const steps: string[] = [];
    const run = (models: unknown) => {
      small.write({ models });
      return runExperiment(small.file, {
        out: join(folder, 'missing-model'),
        openModel: fakeModels().open,
        onProgress: ({ step }) => void steps.push(step),
      });
    };
    await expect(run({ T: './models/none' })).rejects.toThrow('models/none');
    const perFold = { general: './models/t', fineTuned: './models/none-{fold}' };
    await expect(run({ T: perFold, S: perFold })).rejects.toThrow('models/none-1');
    expect(steps).toEqual([]);
  });

  test('are named: a model without a vocabulary, before anything is indexed', async () => {
    small.write({});
    const config = {
      model_type: 'bert',
      vocab_size: 9,
      hidden_size: 8,
      num_hidden_layers: 1,
      num_attention_heads: 1,
    };
    for (const path of Object.values(small.models)) {
      writeFileSync(join(path, 'config.json'), JSON.stringify({ ...config, intermediate_size: 8 }));
    }
    const run = runExperiment(small.file, { out: join(folder, 'no-vocabulary') });
    await expect(run).rejects.toThrow('no tokenizer.json or vocab.txt here. Copy the vocab.txt of the model');
  });

  test('are named: fold models that were trained on queries which the fold tests', async () => {
    writeFileSync(
      join(folder, 'parts.json'),
      JSON.stringify([
        ['1', '4', '7', '10'],
        ['2', '5', '8', '11'],
        ['3', '6', '9', '12'],
      ]),
    );
    writeFileSync(
      join(folder, 'other.json'),
      JSON.stringify([
        ['2', '5', '8', '11'],
        ['1', '4', '7', '10'],
        ['3', '6', '9', '12'],
      ]),
    );
    const rest = { folds: './parts.json', variants: ['TTT'], grid: undefined };
    const model = { general: './models/t', fineTuned: './models/t' };
    await complaint({ ...rest, models: { T: { ...model, trainedIn: './other.json' } } }).toThrow(
      'models.T: fold 1 tests 4 of its 4 queries (1, …) with a model that was trained or validated on them',
    );
    small.write({ ...rest, models: { T: { ...model, trainedIn: './parts.json' } } });
    await go(small, join(folder, 'trained-in'));
  });

  test('are named: a collection with another number of documents, before anything is ranked', async () => {
    const rest = { models: { T: './models/t' }, variants: ['TTT'], baselines: [], grid: undefined };
    const collection = { documents: 'collection', leaveOut: ['bridge-'], count: 200 };
    await complaint({ ...rest, collection }).toThrow(
      /collection has 190 documents without bridge-… and not 200, as collection.count says/,
    );
    small.write({ ...rest, collection: { ...collection, count: 190 } });
    // The index that was built is the one that is used.
    const { ran } = await go(small, join(folder, 'out'));
    expect(ran).not.toContain('index terrier');
  });

  test('are named: a query in two files', async () => {
    const queries = ['./collection/queries.jsonl', './collection/queries.jsonl'];
    await complaint({ collection: { documents: 'collection', queries } }).toThrow('is in another file too');
  });

  test('are named: a folder of results that holds something else', async () => {
    small.write({});
    const out = join(folder, 'taken');
    mkdirSync(out);
    writeFileSync(join(out, 'manifest.json'), '{"name": "a web page"}');
    await expect(go(small, out)).rejects.toThrow('is not the manifest of an experiment');
  });
});

describe('a given initial run', () => {
  test('is what is re-ranked', async () => {
    const folder = temporaryFolder();
    const small = smallExperiment(folder);
    await go(small, join(folder, 'first'));
    small.write({ initial: { run: './first/runs/BM25+RM3.run' }, variants: ['TTT'], grid: undefined });
    const { results } = await go(small, join(folder, 'second'));
    expect(results.ablations!.systems[1].name).toBe('BERT-QE-TTT, chunks from Initial ranking');
    const [given, reranked] = await Promise.all([
      readRun(join(folder, 'first/runs/BM25+RM3.run')),
      readRun(join(folder, 'second/runs/BERT-QE-TTT.run')),
    ]);
    for (const [query, ranking] of reranked) {
      expect(ranking.map(({ id }) => id).toSorted()).toEqual(
        given
          .get(query)!
          .map(({ id }) => id)
          .toSorted(),
      );
      expect(ranking.slice(15).map(({ id }) => id)).toEqual(
        given
          .get(query)!
          .slice(15)
          .map(({ id }) => id),
      );
    }
  });
});

describe('an index that is given', () => {
  test('is used as it is, and its rankings are those of an index built here', async () => {
    const folder = temporaryFolder();
    const small = smallExperiment(folder, { ...retrievalOnly });
    const built = join(folder, 'built');
    await go(small, built);
    const index = join(folder, 'index');
    await buildIndex(readDocuments(join(folder, 'collection'), { format: 'beir' }), {
      folder: index,
      analyzer: createAnalyzer({ base: 'terrier' }),
    });
    small.write({ ...retrievalOnly, index: { folder: 'index' } });
    const given = join(folder, 'given');
    const { ran } = await go(small, given);
    expect(ran.filter((step) => step.startsWith('index'))).toEqual([]);
    const [ours, theirs] = [given, built].map((out) => readFileSync(join(out, 'runs/DPH+KL.run'), 'utf8'));
    expect(ours).toBe(theirs);
  });

  test('has its own analysis', async () => {
    const folder = temporaryFolder();
    const small = smallExperiment(folder, { index: { folder: 'index', analyzer: 'plain' } });
    await expect(go(small, join(folder, 'out'))).rejects.toThrow(/analyzer.*leave "analyzer" out/);
  });
});

const retrievalOnly = {
  baselines: ['DPH', 'DPH+KL'],
  variants: ['TTT'],
  ablations: undefined,
  grid: undefined,
};

describe('topics without judgements', () => {
  test('have a place in the partitions, and are not ranked', async () => {
    const folder = temporaryFolder();
    const small = smallExperiment(folder, { variants: ['TTT'], grid: undefined, ablations: undefined });
    const [first, ...others] = readFileSync(small.qrels, 'utf8').trimEnd().split('\n');
    const unjudged = first!.split(/\s+/)[0]!;
    writeFileSync(small.qrels, others.filter((line) => line.split(/\s+/)[0] !== unjudged).join('\n'));
    const partitions = async (folds: unknown, out: string) => {
      small.write({ folds, variants: ['TTT'], grid: undefined, ablations: undefined });
      await go(small, join(folder, out));
      const run = await readRun(join(folder, out, 'runs/BERT-QE-TTT.run'));
      expect(run.has(unjudged)).toBe(false);
      return [...run.keys()];
    };
    // A run lists the queries partition by partition.
    const all = await partitions({ roundRobin: 3 }, 'all');
    const judged = await partitions({ roundRobin: 3, of: 'judged' }, 'judged');
    expect(all).toHaveLength(11);
    expect(all).toEqual(['4', '7', '10', '2', '5', '8', '11', '3', '6', '9', '12']);
    expect(judged).toEqual(['2', '5', '8', '11', '3', '6', '9', '12', '4', '7', '10']);
  });

  test('may come in several files, as judgements may', async () => {
    const folder = temporaryFolder();
    const small = smallExperiment(folder, { variants: ['TTT'], grid: undefined });
    const halves = (path: string, name: string): string[] => {
      const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
      return [lines.slice(0, 5), lines.slice(5)].map((part, i) => {
        writeFileSync(join(folder, `${i}-${name}`), `${part.join('\n')}\n`);
        return `./${i}-${name}`;
      });
    };
    const whole = await go(small, join(folder, 'whole'));
    small.write({
      collection: {
        documents: 'collection',
        queries: halves(small.queries, 'queries.jsonl'),
        qrels: halves(small.qrels, 'qrels.txt'),
      },
      variants: ['TTT'],
      grid: undefined,
    });
    const parts = await go(small, join(folder, 'parts'));
    expect(parts.results.variants[0]!.evaluation.perQuery).toEqual(
      whole.results.variants[0]!.evaluation.perQuery,
    );
  });
});

test('a title in the text is no title of a passage', async () => {
  const folder = temporaryFolder();
  const collection = { documents: 'collection', titles: 'in-text' };
  const small = smallExperiment(folder, { variants: ['TTT'], grid: undefined, collection });
  await go(small, join(folder, 'out'));
  const [given] = readFileSync(small.corpus, 'utf8').split('\n', 1);
  const { _id, title, text } = JSON.parse(given!) as { _id: string; title: string; text: string };
  const index = Index.open(join(folder, 'out/work/index-terrier'));
  expect((await index.get([_id])).get(_id)).toEqual({ id: _id, text: `${title}\n${text}` });
  await index.close();
});
