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
    significance: { against: ['DPH+KL', 'T'] },
    measures,
  });
  return whole.file;
}

describe('a study', () => {
  const folder = temporaryFolder();
  const file = smallStudy(folder);
  const out = join(folder, 'out');
  const go = () => runStudy(file, { out, openModel: fakeModels().open }) as Promise<StudyOutcome>;
  const table = (path: string) =>
    (JSON.parse(readFileSync(join(out, path), 'utf8')) as { rows: Record<string, number | string>[] }).rows;

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

  test('counts on how many of them a model is above a baseline, or below', () => {
    const initial = table('tables/ndcg-20.json').find(({ Model }) => Model === 'DPH+KL')!;
    for (const { Model, 'nDCG@20': verdict } of table('tables/against-dph-kl.json')) {
      const row = table('tables/ndcg-20.json').find((each) => each['Model'] === Model)!;
      const above = ['whole', 'half'].filter((name) => row[name] > initial[name]).length;
      const below = ['whole', 'half'].filter((name) => row[name] < initial[name]).length;
      expect(verdict).toMatch(new RegExp(`^\\+${above} \\(\\d\\), −${below} \\(\\d\\)$`));
    }
    expect(table('tables/against-bert-tiny.json').map(({ Model }) => Model)).not.toContain('BERT-Tiny');
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

  test.each([
    [text.replace('{ documents: demo }', '{ document: demo }'), 's.yaml:3:', 'collections.one'],
    [text.replace('\n  one: { documents: demo }', ' {}'), 's.yaml:2:', 'name at least one collection'],
    [`${text}collection: { documents: demo }\n`, 's.yaml:6:1', 'there is no field "collection" here'],
  ])('says where it is wrong', (wrong, place, message) => {
    expect(() => parseStudy(wrong, 's.yaml')).toThrow(message);
    expect(() => parseStudy(wrong, 's.yaml')).toThrow(place);
  });
});
