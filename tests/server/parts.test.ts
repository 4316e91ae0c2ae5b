import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { namedVariant } from '../../src/server/catalogue/names.js';
import { ApiKeys, fileUnder, isLocalHost } from '../../src/server/http/index.js';
import { Counter, exposition, Histogram } from '../../src/server/metrics/index.js';
import { cutToPassages, textOf } from '../../src/server/rerank/documents.js';
import { Throttle } from '../../src/server/search/throttle.js';
import { temporaryFolder } from '../support/folders.js';

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

describe('files under a folder', () => {
  it('are given by path; what is hidden, outside, or not a file is not', async () => {
    const outside = temporaryFolder();
    const folder = temporaryFolder();
    writeFileSync(join(outside, 'secret.txt'), 'secret');
    writeFileSync(join(folder, 'a.svg'), '<svg/>');
    mkdirSync(join(folder, 'inside'));
    symlinkSync(join(outside, 'secret.txt'), join(folder, 'link.txt'));
    symlinkSync(join(folder, 'a.svg'), join(folder, 'inside', 'b.svg'));
    expect(await fileUnder(folder, 'a.svg')).toMatchObject({ type: 'image/svg+xml' });
    expect(await fileUnder(folder, 'inside/b.svg')).toBeDefined();
    for (const path of [
      'link.txt',
      '../secret.txt',
      'inside',
      '',
      'none',
      'a.svg\0',
      '..',
      'inside/../a.svg',
    ]) {
      expect(await fileUnder(folder, path)).toBeUndefined();
    }
  });
});

describe('keys and hosts', () => {
  it('gives the owner of a key a name that does not tell the key', () => {
    const keys = new ApiKeys(['one', 'two']);
    const owner = keys.owner('Bearer one');
    expect(owner).toMatch(/^key:[\da-f]{12}$/);
    expect(keys.owner('Bearer two')).not.toBe(owner);
    expect(keys.owner('Bearer three')).toBeUndefined();
    expect(keys.owner(undefined)).toBeUndefined();
    expect(new ApiKeys([]).owner('Bearer ')).toBeUndefined();
  });

  it('knows the names of this machine', () => {
    for (const host of ['localhost', 'LOCALHOST:8080', '127.0.0.1:80', '127.1.2.3', '[::1]:9000']) {
      expect(isLocalHost(host)).toBe(true);
    }
    for (const host of ['localhost.evil.example', '127.0.0.1.evil.example', '10.0.0.1', '', undefined]) {
      expect(isLocalHost(host)).toBe(false);
    }
  });
});

describe('metrics', () => {
  it('are written as Prometheus reads them: labels escaped, buckets summed up', () => {
    const counter = new Counter('c_total', 'Counts\nthings.');
    counter.add({ path: 'a"b\\c\n' }, 2);
    const histogram = new Histogram('h', 'Sizes.', [1, 2]);
    for (const value of [0.5, 1, 1.5, 7]) histogram.observe(value);
    expect(exposition([counter, histogram])).toBe(
      [
        '# HELP c_total Counts\\nthings.',
        '# TYPE c_total counter',
        'c_total{path="a\\"b\\\\c\\n"} 2',
        '# HELP h Sizes.',
        '# TYPE h histogram',
        'h_bucket{le="1"} 2',
        'h_bucket{le="2"} 3',
        'h_bucket{le="+Inf"} 4',
        'h_sum 10',
        'h_count 4',
        '',
      ].join('\n'),
    );
  });
});

describe('documents of requests', () => {
  it('are texts, objects with a text, or their fields', () => {
    expect(textOf('a', 0, undefined)).toBe('a');
    expect(textOf({ text: 'a', title: 't' }, 0, undefined)).toBe('a');
    expect(textOf({ text: 'a', title: 't' }, 0, ['title'])).toBe('t');
    expect(textOf({ a: 'x', b: 7 }, 0, undefined)).toBe('a: x\nb: 7');
    expect(() => textOf({ a: 'x' }, 3, ['b'])).toThrow('documents[3] has none of the fields b');
  });

  it('are cut after so many passages', () => {
    const text = Array.from({ length: 30 }, (_, i) => String(i)).join(' ');
    expect(cutToPassages(text, 2, 10, 5).split(' ')).toHaveLength(15);
    expect(cutToPassages(text, 9, 10, 5)).toBe(text);
  });
});

describe('progress', () => {
  it('is told when a phase begins and ends, and now and then between', () => {
    const told: string[] = [];
    const throttle = new Throttle(({ phase, pairs }) => told.push(`${phase} ${pairs}`));
    for (let pairs = 0; pairs <= 1000; pairs++) throttle.offer({ phase: 'phaseOne', pairs, total: 1000 });
    throttle.offer({ phase: 'phaseTwo', pairs: 0, total: 5 });
    expect(told[0]).toBe('phaseOne 0');
    expect(told.slice(-2)).toEqual(['phaseOne 1000', 'phaseTwo 0']);
    expect(told.length).toBeLessThan(100);
  });
});
