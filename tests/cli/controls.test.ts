import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/folders.js';
import { jsonLines, refusal, runHere as bertQe, words } from './support.js';

const demo = fileURLToPath(new URL('../../demo/', import.meta.url));
const folder = temporaryFolder();
const at = (name: string): string => join(folder, name);

const collected = ['--index', at('index'), '--run', at('bm25.run')];
const trainable = [...collected, '--queries', at('train.jsonl'), '--qrels', join(demo, 'qrels.txt')];

beforeAll(async () => {
  await bertQe('index', join(demo, 'corpus.jsonl'), '--out', at('index'));
  const queries = readFileSync(join(demo, 'queries.jsonl'), 'utf8').trim().split('\n');
  writeFileSync(at('all.jsonl'), queries.join('\n'));
  writeFileSync(at('train.jsonl'), queries.slice(0, 30).join('\n'));
  writeFileSync(at('valid.jsonl'), queries.slice(30).join('\n'));
  const all = ['--queries', at('all.jsonl'), '--model', 'bm25', '--depth', '20'];
  await bertQe('search', '--index', at('index'), ...all, '--out', at('bm25.run'));
});

describe.each([
  ['nprf-drmm', 'NPRF-DRMM', []],
  ['snrm', 'SNRM', []],
  ['cedr-knrm', 'CEDR-KNRM', ['--model', 'T', '--head-rate', '0.01', '--batch', '2']],
] as const)('%s on the command line', (method, title, own) => {
  const out = at(method);
  const isLatent = method === 'snrm';
  const inputs = isLatent ? ['--index', at('index')] : trainable;
  test('is trained, resumed when it is finished, and re-ranks a run or shows a query', async () => {
    const validation = isLatent ? [] : words`--depth 20 --validation-queries ${at('valid.jsonl')}`;
    const train = words`train --method ${method} ${inputs} ${own} --steps 3 ${validation} --out ${out}`;
    const trained = await bertQe(...train);
    expect(trained.stderr).toMatch(/3 steps on [\d,]+ relevant and [\d,]+ other candidates/);
    if (!isLatent) expect(trained.stderr).toMatch(/candidates.*best after step \d/);
    expect(trained.stdout).toBe(`${out}\n`);
    expect(existsSync(join(out, 'loss.svg'))).toBe(true);
    expect((await bertQe(...train)).stderr).toContain('holds a trained model already');
    expect((await bertQe(...train, '--resume')).code).toBe(0);

    const ranked = words`rerank ${collected} --queries ${at('all.jsonl')} --method ${method} --trained ${out}`;
    const run = await bertQe(...ranked, '--out', at(`${method}.run`), '--explain', at(`${method}.jsonl`));
    expect(run.stderr).toMatch(new RegExp(`^${title}: 40 queries in .* pairs`));
    const lines = readFileSync(at(`${method}.run`), 'utf8')
      .trim()
      .split('\n');
    expect(lines[0]).toMatch(new RegExp(` Q0 \\S+ 1 \\S+ ${title}$`));
    const explained = jsonLines<{ documents: { id: string }[] }>(readFileSync(at(`${method}.jsonl`), 'utf8'));
    expect(explained).toHaveLength(40);
    const [{ documents }] = explained;
    expect(documents.map(({ id }) => id)).toEqual(
      lines.slice(0, documents.length).map((line) => line.split(' ')[2]),
    );

    const single = ['rerank', 'how do birds find their way', '--index', at('index'), '--method', method];
    const few = [...single, ...words`--trained ${out} --depth 5 --top-k 3`];
    const shown = await bertQe(...few);
    expect(shown.stdout).toMatch(/3 documents:\n +#  document +final initial  moved/);
    const json = await bertQe(...few, '--json');
    const { results } = JSON.parse(json.stdout) as { results: { rank: number; initialRank: number }[] };
    expect(results.map(({ rank }) => rank)).toEqual([1, 2, 3]);
    expect(results.every(({ initialRank }) => initialRank <= 5)).toBe(true);
  });

  test('refuses what does not belong to it, in one line', async () => {
    const single = ['rerank', 'birds', '--index', at('index'), '--method', method];
    const trained = [...single, '--trained', out];
    const train = ['train', '--method', method];
    const foreign: [string[], RegExp] = isLatent
      ? [[...train, ...trainable], /--(queries|run|qrels) has no effect with --method snrm/]
      : [[...train, ...inputs, '--penalty', '1'], /--penalty has no effect with --method/];
    const cases: [string[], RegExp][] = [
      [single, new RegExp(`--method ${method} needs --trained DIR`)],
      [[...single, '--trained', at('nowhere')], /nowhere/],
      [[...trained, '--kc', '4'], /--kc belongs to BERT-QE and has no effect/],
      [[...trained, '--models', 'T'], /--models belongs to BERT-QE and Birch/],
      [[...trained, '--birch-alpha', '0'], /--birch-alpha belongs to Birch/],
      [[...trained, '--score-share', '2'], /--score-share/],
      [[...single.slice(0, -2), '--trained', out], /--trained has no effect without --method/],
      [[...train, ...inputs, '--loss', 'listwise'], /--loss has no effect with --method/],
      [[...train, ...inputs, '--on', 'chunks'], /--on has no effect with --method/],
      foreign,
      [['train', '--penalty', '1', ...trainable], /--penalty has no effect without --method snrm/],
      [['train', '--head-rate', '1', ...trainable], /--head-rate has no effect without --method cedr-knrm/],
    ];
    for (const [args, message] of cases) expect(refusal(await bertQe(...args))).toMatch(message);
  });
});

describe('searching with SNRM', () => {
  const trained = ['--trained', at('snrm')];
  test('writes a run of the documents that it was trained on, with and without feedback', async () => {
    const search = ['search', ...trained, '--queries', at('all.jsonl'), '--depth', '10'];
    const plain = await bertQe(...search);
    expect(plain.stderr).toMatch(/^SNRM: 40 queries in/);
    expect(plain.stdout).toMatch(/^\S+ Q0 \S+ 1 \S+ SNRM\n/);
    const expanded = await bertQe(...search, '--feedback-documents', '3', '--rocchio-beta', '1');
    expect(expanded.stdout).toMatch(/^\S+ Q0 \S+ 1 \S+ SNRM\+PRF\n/);
    const json = await bertQe('search', 'how do birds find their way', ...trained, '--depth', '3', '--json');
    const { results } = JSON.parse(json.stdout) as { results: { rank: number }[] };
    expect(results.map(({ rank }) => rank)).toEqual([1, 2, 3]);
  });

  test('refuses what has no effect, and folders without a model, in one line', async () => {
    const cases: [string[], RegExp][] = [
      [['search', 'birds', ...trained, '--index', at('index')], /--index has no effect with --trained/],
      [['search', 'birds', ...trained, '--model', 'bm25'], /--model has no effect with --trained/],
      [['search', 'birds', ...trained, '--expand', 'rm3'], /--expand has no effect with --trained/],
      [['search', 'birds', '--trained', at('nowhere')], /nowhere holds no model of snrm/],
      [['search', 'birds', '--trained', at('nprf-drmm')], /holds no model of snrm/],
      [['search', 'zzzqqq', ...trained], /none of its words is in the index/],
      [['search', 'the of', ...trained], /only stop words/],
    ];
    for (const [args, message] of cases) expect(refusal(await bertQe(...args))).toMatch(message);
  });
});
