import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BertQeError } from '../../../src/common/errors.js';
import { describeMeasures, parseMeasure, parseMeasures } from '../../../src/evaluation/index.js';

describe('a measure', () => {
  it.each([
    ['P@20', 'P@20', 'P_20'],
    ['ndcg@20', 'nDCG@20', 'ndcg_cut_20'],
    ['ndcg_cut_20', 'nDCG@20', 'ndcg_cut_20'],
    ['NDCG', 'nDCG', 'ndcg'],
    ['MAP', 'AP', 'map'],
    ['map_cut_100', 'AP@100', 'map_cut_100'],
    ['MRR@10', 'RR@10', 'RR@10'],
    ['recip_rank', 'RR', 'recip_rank'],
    ['Recall@1000', 'R@1000', 'recall_1000'],
    ['recall_1000', 'R@1000', 'recall_1000'],
    ['IPrec@0.1', 'IPrec@0.1', 'iprec_at_recall_0.10'],
    ['iprec_at_recall_0.10', 'IPrec@0.1', 'iprec_at_recall_0.10'],
    ['Bpref', 'bpref', 'bpref'],
    ['P(rel=2)@20', 'P(rel=2)@20', 'P(rel=2)@20'],
    [' P ( rel = 2 ) @ 20 ', 'P(rel=2)@20', 'P(rel=2)@20'],
    ['nDCG(dcg="exp-log2")@10', "nDCG(dcg='exp-log2')@10", "nDCG(dcg='exp-log2')@10"],
    ['SetF(rel=2,beta=0.5)', 'SetF(beta=0.5,rel=2)', 'SetF(beta=0.5,rel=2)'],
  ])('%s is %s, to trec_eval %s', (text, name, trecName) => {
    expect(parseMeasure(text)).toMatchObject({ name, trecName });
    expect(parseMeasure(name).name).toBe(name);
  });

  it.each([
    ['P', /P needs a cutoff: write P@20/],
    ['IPrec', /IPrec needs a recall/],
    ['IPrec@2', /between 0 and 1, not "2"/],
    ['P@0', /cutoff must be a whole number from 1, not "0"/],
    ['P@2.5', /whole number/],
    ['bpref@5', /bpref takes no cutoff/],
    ['nCDG@20', /Unknown measure "nCDG@20"; there are P@k, nDCG\[@k\], AP\[@k\]/],
    ['P(rel=x)@5', /rel must be a whole number from 0, not "x"/],
    ['P(dcg=log2)@5', /P has no parameter "dcg" \(only rel\)/],
    ['Judged(rel=2)@5', /Judged has no parameter "rel" \(none\)/],
    ['nDCG(dcg=log10)', /dcg must be 'log2' or 'exp-log2'/],
    ['SetF(beta=0)', /beta must be a number above 0/],
    ['P(2)@5', /parameters are written name=value, not "2"/],
    ['P_5@5', /two cutoffs/],
    ['@5', /is not a measure; write NAME/],
    ['', /is not a measure/],
  ])('%s is refused', (text, message) => {
    expect(() => parseMeasure(text)).toThrow(message);
    expect(() => parseMeasure(text)).toThrow(BertQeError);
  });

  it('is read back from its own name, whatever the parameters', () => {
    const measures = fc.oneof(
      fc
        .tuple(fc.constantFrom('P', 'R', 'AP', 'RR', 'Success'), fc.nat(4), fc.integer({ min: 1, max: 5000 }))
        .map(([name, rel, k]) => `${name}(rel=${rel})@${k}`),
      fc.integer({ min: 0, max: 100 }).map((hundredths) => `IPrec@${hundredths / 100}`),
    );
    fc.assert(
      fc.property(measures, (name) => {
        expect(parseMeasure(name).name).toBe(name);
      }),
    );
  });
});

describe('a list of measures', () => {
  it('is split at commas outside parentheses, each measure taken once', () => {
    const names = parseMeasures('P@5, SetF(rel=2,beta=2),ndcg@5,nDCG@5,').map(({ name }) => name);
    expect(names).toEqual(['P@5', 'SetF(beta=2,rel=2)', 'nDCG@5']);
  });

  it('may be a nickname', () => {
    expect(parseMeasures('paper').map(({ name }) => name)).toEqual(['P@20', 'nDCG@20', 'AP@100', 'AP@1000']);
    expect(parseMeasures('official,nDCG@20')).toHaveLength(30);
  });

  it('must not be empty', () => {
    expect(() => parseMeasures(' , ')).toThrow(/No measure is named/);
  });
});

it('every measure is described', () => {
  for (const [signature, help] of describeMeasures()) {
    expect(signature).toMatch(/^\w+(\[?@(k|recall)\]?)?$/);
    expect(help.length).toBeGreaterThan(10);
  }
});
