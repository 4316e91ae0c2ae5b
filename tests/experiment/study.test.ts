import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseStudy, runStudy, type StudyOutcome } from '../../src/experiment/index.js';
import { temporaryFolder } from '../support/folders.js';
import { fakeModels } from './fake-model.js';
import { smallExperiment } from './small-experiment.js';

const measures = ['P@5', 'nDCG@20'];

/** A study of two collections: twelve queries of the demo, and the first six of these. */
function smallStudy(folder: string): string {
  const whole = smallExperiment(join(folder, 'whole'));
  const half = smallExperiment(join(folder, 'half'));
  const first = readFileSync(half.queries, 'utf8').split('\n').slice(0, 6);
  writeFileSync(half.queries, `${first.join('\n')}\n`);
  whole.write({
    name: 'both',
    title: 'Both of them',
    collection: undefined,
    collections: { whole: { documents: 'collection' }, half: { documents: '../half/collection' } },
    variants: ['TTT', 'STT'],
    ablations: { of: 'TTT', which: ['dropQueryScore'] },
    grid: undefined,
    significance: { against: ['T'] },
    together: { 'all of them': ['whole', 'half'] },
    measures,
  });
  return whole.file;
}

const rowsOf = (out: string, path: string) =>
  (JSON.parse(readFileSync(join(out, path), 'utf8')) as { rows: Record<string, number | string>[] }).rows;

describe('a study', () => {
  const folder = temporaryFolder();
  const file = smallStudy(folder);
  const out = join(folder, 'out');
  const go = () => runStudy(file, { out, openModel: fakeModels().open }) as Promise<StudyOutcome>;
  const table = (path: string) => rowsOf(out, path);

  test('runs the experiment on every collection, each in a folder of its own', async () => {
    const { results, ran } = await go();
    expect([...results.keys()]).toEqual(['whole', 'half']);
    expect(ran).toContain('half: run BERT-QE-TTT');
    expect([...results.values()].map(({ collection }) => collection.queries)).toEqual([12, 6]);
    expect(readFileSync(join(out, 'half/report.html'), 'utf8')).toContain('Both of them: half');
  });

  test('sets the collections side by side, with their plain mean', () => {
    const rows = table('tables/ndcg-20.json');
    const row = rows.find(({ Model }) => Model === 'BERT-QE-STT')!;
    const own = ['whole', 'half'].map(
      (name) =>
        table(`${name}/tables/variants.json`).find(({ Model }) => Model === 'BERT-QE-STT')!['nDCG@20'],
    );
    expect([row['whole'], row['half']]).toEqual(own);
    expect(row['Mean']).toBeCloseTo(((own[0] as number) + (own[1] as number)) / 2, 12);
    expect(rows.map(({ Model }) => Model)).toContain('BERT-QE-TTT without rel(q,d)');
  });

  test('says what each part adds, with confidence intervals and Holm’s correction over the collections', () => {
    const rows = table('tables/difference-bert-qe-ttt.json').filter(({ Measure }) => Measure === 'nDCG@20');
    expect(rows.map(({ Collection }) => Collection)).toEqual(['whole', 'half', 'all of them']);
    const means = table('tables/ndcg-20.json');
    const mean = (model: string, name: string) => Number(means.find(({ Model }) => Model === model)![name]);
    for (const row of rows.slice(0, 2)) {
      const name = String(row['Collection']);
      expect(row['Without']).toBe(mean('BERT-Tiny', name));
      expect(row['With']).toBe(mean('BERT-QE-TTT', name));
      expect(row['Difference']).toBeCloseTo(Number(row['With']) - Number(row['Without']), 12);
      expect((Number(row['From']) + Number(row['To'])) / 2).toBeCloseTo(Number(row['Difference']), 12);
      const gains = table(`${name}/tables/gains.json`).map((query) => Number(query['BERT-QE-TTT']));
      const variance = gains.reduce((sum, gain) => sum + (gain - Number(row['Difference'])) ** 2, 0);
      expect(row['d']).toBeCloseTo(Number(row['Difference']) / Math.sqrt(variance / (gains.length - 1)), 9);
    }
    const [least, most] = rows.slice(0, 2).toSorted((a, b) => Number(a['p']) - Number(b['p']));
    expect(least['p (Holm)']).toBeCloseTo(Math.min(1, 2 * Number(least['p'])), 12);
    expect(most['p (Holm)']).toBe(Math.max(Number(least['p (Holm)']), Number(most['p'])));
  });

  test('takes the queries of collections together, each counting the same', () => {
    const rows = table('tables/difference-bert-qe-ttt.json').filter(({ Measure }) => Measure === 'P@5');
    const [whole, half, all] = rows;
    expect(rows.map(({ Queries }) => Queries)).toEqual([12, 6, 18]);
    for (const column of ['Without', 'With', 'Difference']) {
      expect(all[column]).toBeCloseTo((2 * Number(whole[column]) + Number(half[column])) / 3, 12);
    }
    expect(all['p (Holm)']).toBeNull();
  });

  test('has a table for MaxP over the initial ranking, and one for each ablation', () => {
    const { title, notes } = JSON.parse(
      readFileSync(join(out, 'tables/difference-bert-tiny.json'), 'utf8'),
    ) as { title: string; notes: string[] };
    expect(title).toBe('BERT-Tiny over the initial ranking');
    const rows = table('tables/difference-bert-tiny.json').filter(({ Measure }) => Measure === 'P@5');
    const above = rows.slice(0, 2).filter(({ Difference }) => Number(Difference) > 0).length;
    expect(notes[0]).toMatch(
      new RegExp(`^P@5: above on ${above} \\(\\d, \\d after Holm\\) of 2 collections`),
    );
    expect(table('tables/difference-bert-qe-ttt-without-query-score.json')).toHaveLength(6);
    const single = table('half/tables/differences.json').map(({ Models }) => Models);
    expect(single.slice(0, single.length / measures.length)).toEqual([
      'BERT-Tiny over the initial ranking',
      'BERT-Small over the initial ranking',
      'BERT-QE-TTT over BERT-Tiny',
      'BERT-QE-STT over BERT-Small',
      'BERT-QE-TTT without rel(q,d) over BERT-QE-TTT',
    ]);
  });

  test('says what the models took per query, and on which machine', async () => {
    const rows = table('tables/seconds.json');
    expect(rows.map(({ Model }) => Model)).toEqual(table('tables/cost.json').map(({ Model }) => Model));
    for (const row of rows) {
      expect(row['whole']).toBeGreaterThan(0);
      expect(row['half']).toBeGreaterThan(0);
    }
    const seconds = (name: string) => rows.find(({ Model }) => Model === name)!['whole'] as number;
    // MaxP is a part of BERT-QE, and what is shared counts in both.
    expect(seconds('BERT-QE-TTT')).toBeGreaterThan(seconds('BERT-Tiny'));
    const before = readFileSync(join(out, 'tables/seconds.json'), 'utf8');
    expect(before).toContain(`whatever else the machine did: ${cpus()[0].model.trim()}`);
    await go();
    expect(readFileSync(join(out, 'tables/seconds.json'), 'utf8')).toBe(before);
  });

  test('does nothing twice, and only what a changed collection asks for', async () => {
    expect((await go()).ran).toEqual([]);
    const qrels = join(folder, 'half/collection/qrels.txt');
    const kept = `${qrels}.kept`;
    renameSync(qrels, kept);
    writeFileSync(qrels, readFileSync(kept, 'utf8').replaceAll(/ 2$/gm, ' 1'));
    const { ran } = await go();
    expect(ran.length).toBeGreaterThan(0);
    expect(ran.filter((step) => !step.startsWith('half: '))).toEqual([]);
  });
});

describe('a study with rankings of others', () => {
  const folder = temporaryFolder();
  const { file, models, write } = smallExperiment(folder);
  const settings = {
    collection: undefined,
    variants: ['TTT'],
    ablations: undefined,
    grid: undefined,
    measures,
  };
  const queries = readFileSync(join(folder, 'collection/queries.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { _id: string })._id);
  const documents = readFileSync(join(folder, 'collection/corpus.jsonl'), 'utf8')
    .split('\n')
    .slice(0, 20)
    .map((line) => (JSON.parse(line) as { _id: string })._id);
  /** A run with the same documents for every query, from the one of this number on. */
  const fixedRun = (name: string, from: number): void => {
    const lines = queries.flatMap((query) =>
      documents.slice(from).map((id, i) => `${query} Q0 ${id} ${i + 1} ${100 - i} them`),
    );
    writeFileSync(join(folder, name), `${lines.join('\n')}\n`);
  };
  fixedRun('first.run', 0);
  fixedRun('second.run', 5);

  test('shows each as given, tests it and tests against it, beside published values', async () => {
    const out = join(folder, 'out');
    write({
      ...settings,
      collections: {
        own: { documents: 'collection', initial: 'DPH' },
        given: {
          documents: 'collection',
          initial: { name: 'DPH+KL', run: 'first.run' },
          published: { source: 'A paper', systems: { 'DPH+KL': { 'P@5': 0.5 }, Theirs: { 'P@5': '0.25*' } } },
        },
      },
      baselines: ['DPH+KL', { name: 'Birch', run: 'second.run' }, 'T'],
      significance: { against: ['T', 'Birch'] },
    });
    const { results } = (await runStudy(file, { out, openModel: fakeModels().open })) as StudyOutcome;
    const given = results.get('given')!;
    expect(given.baselines.map(({ name }) => name)).toEqual(['DPH+KL', 'Birch', 'BERT-Tiny']);
    // The run stands in the place of the first stage of its name.
    expect(readFileSync(join(out, 'given/runs/DPH+KL.run'), 'utf8')).toContain(`${documents[0]} 1 100`);
    expect(readFileSync(join(out, 'own/runs/DPH+KL.run'), 'utf8')).not.toContain(`${documents[0]} 1 100`);
    const pairs = given.comparisons.map(({ run, baseline }) => `${run} ${baseline}`);
    expect(new Set(pairs)).toEqual(
      new Set(['Birch BERT-Tiny', 'BERT-Tiny Birch', 'BERT-QE-TTT BERT-Tiny', 'BERT-QE-TTT Birch']),
    );
    const rows = rowsOf(out, 'tables/p-5.json');
    const row = (name: string) => rows.find(({ Model }) => Model === name)!;
    expect(row('DPH+KL')['given (published)']).toBe(0.5);
    expect(row('Theirs')).toMatchObject({ own: null, given: null, 'given (published)': 0.25, Mean: null });
    expect(row('Birch')['own']).toBe(row('Birch')['given']);
    expect(row('DPH+KL')['own']).not.toBe(row('DPH+KL')['given']);
  });

  test('has a row for an initial ranking without a name, and names a run of other queries', async () => {
    const out = join(folder, 'unnamed');
    const collection = { documents: 'collection', initial: { run: 'first.run' } };
    write({ ...settings, collections: { one: collection }, baselines: ['T'] });
    const { results } = (await runStudy(file, { out, openModel: fakeModels().open })) as StudyOutcome;
    expect(results.get('one')!.baselines.map(({ name }) => name)).toEqual(['Initial ranking', 'BERT-Tiny']);
    writeFileSync(join(folder, 'other.run'), 'x Q0 y 1 1 z\n');
    write({ ...settings, collections: { one: { ...collection, initial: { run: 'other.run' } } } });
    await expect(runStudy(file, { out, openModel: fakeModels().open })).rejects.toThrow(
      /other\.run ranks none of the 12 test queries/,
    );
  });

  test('may list experiment files, which have their own settings', async () => {
    const out = join(folder, 'listed');
    const own = { ...settings, collection: { documents: 'collection' }, baselines: ['T'] };
    write({ ...own, models });
    renameSync(file, join(folder, 'one.yaml'));
    write({ ...own, initial: 'BM25', variants: ['STT'] });
    renameSync(file, join(folder, 'two.yaml'));
    writeFileSync(file, 'name: listed\nexperiments: { one: one.yaml, two: ./two.yaml }\n');
    const { results } = (await runStudy(file, { out, openModel: fakeModels().open })) as StudyOutcome;
    expect(results.get('two')!.experiment.initial).toBe('BM25');
    const rows = rowsOf(out, 'tables/ndcg-20.json');
    expect(rows.find(({ Model }) => Model === 'BERT-QE-STT')).toMatchObject({ one: null, Mean: null });
    expect(rows.find(({ Model }) => Model === 'BERT-Tiny')!['Mean']).toBeGreaterThan(0);
  });
});

describe('the file of a study', () => {
  const text = `name: x
collections:
  one: { documents: demo }
folds: { roundRobin: 5 }
variants: [TTT]
`;

  test('gives an experiment for each collection, alike in everything else', () => {
    const { experiments } = parseStudy(`${text}depth: 7\n`, 's.yaml');
    expect(experiments.get('one')).toMatchObject({
      name: 'one',
      depth: 7,
      collection: { documents: 'demo' },
    });
  });

  test('lets a collection have its own initial ranking, folds, models, baselines and published values', () => {
    const own =
      '{ documents: demo, initial: { name: Theirs, run: x.run }, folds: gov2, models: { T: ./t }, ' +
      'baselines: [T], published: { source: a paper } }';
    const { experiments } = parseStudy(text.replace('folds:', `  two: ${own}\nfolds:`), 's.yaml');
    expect(experiments.get('one')).toMatchObject({ initial: 'DPH+KL', folds: { roundRobin: 5 }, models: {} });
    expect(experiments.get('two')).toMatchObject({
      initial: { name: 'Theirs', run: 'x.run' },
      folds: 'gov2',
      models: { T: './t' },
      baselines: ['T'],
      published: { source: 'a paper' },
      collection: { documents: 'demo' },
    });
    expect(experiments.get('two')!.collection).not.toHaveProperty('initial');
  });

  test.each([
    [text.replace('folds: { roundRobin: 5 }\n', ''), 's.yaml:3:', 'has no folds; write "folds" here'],
    [
      text.replace('demo }', 'demo, baselines: [{ name: A, run: a }, { name: A, run: b }] }'),
      's.yaml:',
      'two runs are called "A"',
    ],
    [`${text}significance: { against: [Birch] }\n`, 's.yaml:6:', '"Birch" is not a baseline'],
    [text.replace('{ documents: demo }', '{ document: demo }'), 's.yaml:3:', 'collections.one'],
    [text.replace('\n  one: { documents: demo }', ' {}'), 's.yaml:2:', 'name at least one collection'],
    [`${text}together: { all: [one, two] }\n`, 's.yaml:6:24', '"two" is not a collection of this study'],
    [`${text}collection: { documents: demo }\n`, 's.yaml:6:1', 'there is no field "collection" here'],
  ])('says where it is wrong', (wrong, place, message) => {
    expect(() => parseStudy(wrong, 's.yaml')).toThrow(message);
    expect(() => parseStudy(wrong, 's.yaml')).toThrow(place);
  });
});
