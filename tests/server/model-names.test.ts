import { describe, expect, it } from 'vitest';
import { namedVariant } from '../../src/server/catalogue/names.js';

describe('names of models', () => {
  it.each([
    ['SST', 'bert-qe-SST', ['S', 'S', 'T']],
    ['bert-qe-lmt', 'bert-qe-LMT', ['L', 'M', 'T']],
    ['S', 'small', ['S']],
    ['bert-base', 'base', ['B']],
    ['Tiny', 'tiny', ['T']],
    ['models/my-encoder', 'my-encoder', ['models/my-encoder']],
    ['a/one+two+three', 'one+two+three', ['a/one', 'two', 'three']],
  ])('%s is %s', (text, id, models) => {
    expect(namedVariant(text)).toMatchObject({ id, models });
  });

  it('are refused where they are two, or empty', () => {
    expect(() => namedVariant('one+two')).toThrow('"one+two" names no models');
    expect(() => namedVariant('one++three')).toThrow('names no models');
  });
});
