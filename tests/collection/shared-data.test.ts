import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  readDocuments,
  readFolds,
  readQrels,
  readQueries,
  readRun,
  readRunByQuery,
  publishedFolds,
  roundRobinFolds,
  type Qrels,
} from '../../src/collection/index.js';
import {
  collectionNames,
  collectionPath,
  describeWithCollections,
  describeWithShared,
  sharedPath,
} from '../support/shared.js';
import { collect, countDocuments } from './support.js';

function judgedPairs(qrels: Qrels): number {
  return [...qrels.values()].reduce((sum, judged) => sum + judged.size, 0);
}

function relevantPairs(qrels: Qrels): number {
  return [...qrels.values()].reduce(
    (sum, judged) => sum + [...judged.values()].filter((level) => level > 0).length,
    0,
  );
}

function cedr(name: string): string {
  return sharedPath(`data/trec/robust04/cedr/${name}`);
}

function nist(name: string): string {
  return sharedPath(`data/trec/trec_eval/${name}`);
}

describeWithCollections('the open collections', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/collections.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `(\w+)` \|((?: [\d,]+ \|){4})/gm)];
  const counts = new Map(
    rows.map(([, name, row]) => [
      name,
      [...row.matchAll(/[\d,]+/g)].map(([n]) => Number(n.replace(',', ''))),
    ]),
  );

  it.each(collectionNames)('%s has the counts that docs/collections.md states', async (name) => {
    const folder = collectionPath(name);
    const qrels = await readQrels(folder);
    expect([
      await countDocuments(folder),
      (await readQueries(folder)).length,
      qrels.size,
      judgedPairs(qrels),
    ]).toEqual(counts.get(name));
    expect(relevantPairs(qrels)).toBe(judgedPairs(qrels));
  });

  it('cranfield has two empty documents, and judgements by level', async () => {
    const documents = await collect(readDocuments(collectionPath('cranfield')));
    expect(documents.filter(({ text }) => text === '').map(({ id }) => id)).toEqual(['471', '995']);
    const graded = await readQrels(collectionPath('cranfield/qrels.graded.txt'));
    expect(judgedPairs(graded)).toBe(1837);
    expect(new Set([...graded.values()].flatMap((judged) => [...judged.values()]))).toEqual(
      new Set([1, 2, 3, 4]),
    );
  });

  it('scifact has a train split', async () => {
    const train = await readQrels(collectionPath('scifact'), { split: 'train' });
    expect([train.size, judgedPairs(train)]).toEqual([809, 919]);
  });
});

describeWithShared('Robust04', () => {
  it('has 250 topics', async () => {
    const topics = await readQueries(sharedPath('data/trec/robust04/topics.robust04.txt'));
    expect(topics).toHaveLength(250);
    expect(topics[0]).toEqual({ id: '301', text: 'International Organized Crime' });
    expect(topics.at(-1)).toEqual({ id: '700', text: 'gasoline tax U.S.' });
    const cedr = await readQueries(sharedPath('data/trec/robust04/cedr/queries.tsv'));
    expect(cedr.map(({ id }) => id).toSorted()).toEqual(topics.map(({ id }) => id).toSorted());
    const described = await readQueries(sharedPath('data/trec/robust04/topics.robust04.txt'), {
      field: 'title+desc',
    });
    expect(described[0]!.text).toMatch(
      /^International Organized Crime Identify organizations that .* involved\.$/,
    );
  });

  it('has 311,410 judgements of 249 topics, 17,412 of them relevant', async () => {
    const qrels = await readQrels(sharedPath('data/trec/robust04/qrels.robust04.txt'));
    expect([qrels.size, judgedPairs(qrels), relevantPairs(qrels)]).toEqual([249, 311_410, 17_412]);
  });

  it.each([
    ['robust04-paper1-folds.json', 2, 250],
    ['robust04-paper2-folds.json', 5, 250],
    ['pyserini_classifier_prf_robust04.json', 5, 250],
    ['capreolus_rob04_cedr_folds.json', 5, 249],
    ['capreolus_rob04_yang19_folds.json', 5, 250],
    ['capreolus_rob04_huston14_title_folds.json', 5, 250],
    ['capreolus_rob04_huston14_desc_folds.json', 5, 250],
  ])('has folds in %s', async (name, count, tested) => {
    const folds = await readFolds(sharedPath(`data/trec/robust04/folds/${name}`));
    expect(folds).toHaveLength(count);
    expect(folds.flatMap(({ test }) => test)).toHaveLength(tested);
    if (count === 5) expect(folds.every(({ train }) => train.length >= 149)).toBe(true);
  });

  it('has CEDR’s runs, and our way of validating on the partition before is theirs', async () => {
    const all = await readRun(cedr('all.test.run'));
    expect([all.size, [...all.values()].reduce((sum, ranking) => sum + ranking.length, 0)]).toEqual([
      250, 36_928,
    ]);
    expect(all.get('302')![0]).toEqual({ id: 'FBIS4-67701', score: 26.962 });
    const tested: string[][] = [];
    for (const fold of [1, 2, 3, 4, 5]) {
      const queries: string[] = [];
      for await (const { query, ranking } of readRunByQuery(cedr(`f${fold}.test.run`))) {
        expect(ranking).toEqual(all.get(query));
        queries.push(query);
      }
      tested.push(queries);
      if (fold > 1) expect([...(await readRun(cedr(`f${fold}.valid.run`))).keys()]).toEqual(tested[fold - 2]);
    }
  });
});

describeWithShared('GOV2', () => {
  it('has 150 topics in three files, 135,352 judgements, and folds', async () => {
    const files = ['04.701-750', '05.751-800', '06.801-850'];
    const topics = await Promise.all(
      files.map((file) => readQueries(sharedPath(`data/trec/gov2/topics.terabyte${file}.txt`))),
    );
    const ids = topics.flat().map(({ id }) => id);
    expect(ids).toEqual(Array.from({ length: 150 }, (_, i) => String(701 + i)));
    expect(topics[0]![0]!.text).toBe('U.S. oil industry history');
    const qrels = await readQrels(sharedPath('data/trec/gov2/qrels.gov2.701-850.txt'));
    expect([qrels.size, judgedPairs(qrels), relevantPairs(qrels)]).toEqual([149, 135_352, 26_917]);
    const folds = await readFolds(sharedPath('data/trec/gov2/capreolus_gov2_maxp_folds.json'));
    expect(folds.map(({ train, valid, test }) => [train.length, valid.length, test.length])).toEqual([
      [34, 41, 75],
      [41, 75, 34],
      [75, 34, 41],
    ]);
    expect(publishedFolds('gov2')).toEqual(roundRobinFolds(ids));
    expect(roundRobinFolds(ids).map(({ test }) => test.slice(0, 2))).toEqual([
      ['701', '706'],
      ['702', '707'],
      ['703', '708'],
      ['704', '709'],
      ['705', '710'],
    ]);
  });
});

const sorted = (ids: readonly string[]): string[] => [...ids].toSorted();

describeWithShared('the published folds of Robust04', () => {
  it('are those of two other projects, query by query', async () => {
    const ours = publishedFolds('robust04')!;
    const folder = 'data/trec/robust04';
    const huston = await readFolds(sharedPath(`${folder}/folds/capreolus_rob04_huston14_title_folds.json`));
    // Their first fold is our second.
    for (const [i, { train, valid, test }] of huston.entries()) {
      const same = ours[(i + 1) % 5]!;
      expect(sorted(same.test)).toEqual(sorted(test));
      expect(sorted(same.valid)).toEqual(sorted(valid));
      expect(sorted(same.train)).toEqual(sorted(train));
    }
    for (const [i, { valid, test }] of ours.entries()) {
      // Topic 672 has no relevant document; some files leave it out.
      const [tested, validated] = await Promise.all(
        ['test', 'valid'].map((part) => readRun(sharedPath(`${folder}/cedr/f${i + 1}.${part}.run`))),
      );
      expect(sorted([...tested!.keys()])).toEqual(sorted(test));
      expect(sorted([...validated!.keys()])).toEqual(sorted(valid));
    }
  });
});

describeWithShared('the inputs of NIST’s own evaluation program', () => {
  it('are read: runs in any order with words after the tag', async () => {
    const results = await readRun(nist('results.test'));
    expect([results.size, [...results.values()].map((ranking) => ranking.length)]).toEqual([
      3,
      [500, 500, 500],
    ]);
    expect([...(await readRun(nist('results.trunc'))).keys()].toSorted()).toEqual(['301', '303']);
  });

  it('are read: judgements with comments, with levels below zero', async () => {
    const plain = await readQrels(nist('qrels.test'));
    const commented = await readQrels(nist('qrels.test.with-comments'));
    expect([commented.size, judgedPairs(commented)]).toEqual([plain.size, judgedPairs(plain)]);
    // Only a `#` at the beginning of a line is a comment.
    expect(commented.get('301')!.get('CR#93E-1860')).toBe(0);
    const levels = [...(await readQrels(nist('qrels.rel_level'))).values()].flatMap((judged) => [
      ...judged.values(),
    ]);
    expect(levels.filter((level) => level === -1)).toHaveLength(304);
  });
});
