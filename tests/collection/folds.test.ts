import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldsOfPartitions, publishedFolds, readFolds, roundRobinFolds } from '../../src/collection/folds.js';
import { expectRefusal, scratchFolder } from './support.js';

const scratch = scratchFolder();

describe('folds', () => {
  it('are read from the authors’ folders, numbered ones in order', async () => {
    for (const fold of ['1', '2', '10']) {
      scratch(`cv/${fold}/train_query`, `${fold}1\n${fold}2 \n\n`);
      scratch(`cv/${fold}/valid_query`, `${fold}3\r\n`);
      scratch(`cv/${fold}/test_query`, `${fold}4`);
    }
    scratch('cv/notes.txt', 'x');
    expect(await readFolds(scratch('cv'))).toEqual([
      { train: ['11', '12'], valid: ['13'], test: ['14'] },
      { train: ['21', '22'], valid: ['23'], test: ['24'] },
      { train: ['101', '102'], valid: ['103'], test: ['104'] },
    ]);
  });

  it('are read from JSON: partitions, folds, and Capreolus’ names', async () => {
    expect(await readFolds(scratch('partitions.json', '[["1", 2], ["3"], ["4"]]'))).toEqual([
      { test: ['1', '2'], valid: ['4'], train: ['3'] },
      { test: ['3'], valid: ['1', '2'], train: ['4'] },
      { test: ['4'], valid: ['3'], train: ['1', '2'] },
    ]);
    const fold = { train: ['1'], valid: ['2'], test: ['3'] };
    expect(await readFolds(scratch('folds.json', JSON.stringify([fold])))).toEqual([fold]);
    const capreolus = { s1: { train_qids: ['1', '1'], predict: { dev: ['2'], test: ['3'] } } };
    expect(await readFolds(scratch('capreolus.json', JSON.stringify(capreolus)))).toEqual([fold]);
  });

  it('dealt round-robin take the ids in order, numbers by value', () => {
    const folds = roundRobinFolds(['710', '9', '701', 'b', 'a', '702', '703'], 5);
    expect(folds.map(({ test }) => test)).toEqual([['9', 'a'], ['701', 'b'], ['702'], ['703'], ['710']]);
    expect(folds[0]!.valid).toEqual(['710']);
    expect(folds[0]!.train).toEqual(['701', 'b', '702', '703']);
  });

  it('test every query once and never on what trained or validated', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.stringMatching(/^[a-z0-9]{1,6}$/)),
        fc.integer({ min: 2, max: 7 }),
        (ids, count) => {
          const folds = roundRobinFolds(ids, count);
          expect(folds.flatMap(({ test }) => test).toSorted()).toEqual(ids.toSorted());
          for (const { train, valid, test } of folds) {
            const used = new Set([...train, ...valid]);
            expect(test.some((id) => used.has(id))).toBe(false);
            expect(new Set([...used, ...test]).size).toBe(ids.length);
            if (count > 2) expect(train.some((id) => valid.includes(id))).toBe(false);
          }
          const sizes = folds.map(({ test }) => test.length);
          expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
        },
      ),
    );
  });

  it('of two partitions train and validate on the other one', () => {
    expect(foldsOfPartitions([['1'], ['2']])).toEqual([
      { test: ['1'], valid: ['2'], train: ['2'] },
      { test: ['2'], valid: ['1'], train: ['1'] },
    ]);
  });

  it.each([
    ['{', ['bad.json: not valid JSON']],
    ['[]', ['bad.json: no folds were found', 'one array of query ids per partition']],
    ['5', ['bad.json: no folds were found']],
    ['[["1"], ["1"], ["2"]]', ['bad.json: fold 1: query "1" is tested but also used']],
    [
      '[{"train": ["1"], "valid": ["2"], "test": ["1"]}]',
      ['bad.json: fold 1: query "1" is tested but also used for training'],
    ],
    [
      '[{"train": ["1"], "valid": ["2"], "test": ["3"]}, {"train": ["1"], "valid": ["2"], "test": ["3"]}]',
      ['query "3" is tested in fold 1 and again in fold 2'],
    ],
    ['[{"train": ["1"], "test": ["3"]}]', ['bad.json: fold 1, valid: an array of query ids was expected']],
    ['[["1"], ["2"], [null]]', ['bad.json: partition 3: an array of query ids was expected']],
    ['[["1"], ["2 3"]]', ['bad.json: the query id "2 3" contains white space']],
  ])('are refused with file and fix: %j', async (text, parts) => {
    await expectRefusal(readFolds(scratch('bad.json', text)), parts);
  });

  it('missing from a folder say what was expected', async () => {
    scratch('nofolds/x.txt', '');
    await expectRefusal(readFolds(scratch('nofolds')), [
      'the folder holds no folds',
      'train_query, valid_query and test_query',
    ]);
    scratch('half/1/test_query', '1');
    await expectRefusal(readFolds(scratch('half')), ['half/1/train_query: there is no such file'], 'missing');
  });
});

/** The partition of every query, from 1. */
const partitionOf = (name: string): Map<string, number> =>
  new Map(publishedFolds(name)!.flatMap(({ test: ids }, i) => ids.map((id) => [id, i + 1] as const)));

describe('published folds', () => {
  it('of GOV2 put topic n into partition (n - 701) mod 5, counted from 1; 703 has its place', () => {
    const partitions = partitionOf('gov2');
    expect(partitions.size).toBe(150);
    for (const [id, partition] of partitions) expect(partition).toBe(((Number(id) - 701) % 5) + 1);
    expect([partitions.get('703'), partitions.get('704'), partitions.get('850')]).toEqual([3, 4, 5]);
  });

  it('of Robust04 have fifty of the 250 topics each', () => {
    const folds = publishedFolds('robust04')!;
    const topics = [
      ...Array.from({ length: 150 }, (_, i) => 301 + i),
      ...Array.from({ length: 100 }, (_, i) => 601 + i),
    ];
    expect(folds.map(({ test: ids }) => ids.length)).toEqual([50, 50, 50, 50, 50]);
    expect([...partitionOf('robust04').keys()].map(Number).toSorted((a, b) => a - b)).toEqual(topics);
    expect(folds.map(({ test: ids }) => ids[0])).toEqual(['302', '301', '306', '320', '304']);
  });

  it('validate with the partition before the tested one, and train on the other three', () => {
    for (const name of ['robust04', 'gov2']) {
      const folds = publishedFolds(name)!;
      for (const [i, { train, valid, test: ids }] of folds.entries()) {
        expect(valid).toEqual(folds[(i + 4) % 5]!.test);
        expect(new Set([...train, ...valid, ...ids]).size).toBe(name === 'gov2' ? 150 : 250);
      }
    }
  });

  it('have names; other names are paths', () => {
    expect(publishedFolds('toString')).toBeUndefined();
    expect(publishedFolds('folds.json')).toBeUndefined();
  });
});
