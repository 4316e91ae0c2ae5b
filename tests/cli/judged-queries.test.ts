import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/folders.js';
import { runHere as bertQe, words } from './support.js';

const folder = temporaryFolder();
const at = (name: string) => join(folder, name);
const index = at('birds.index');

const queriesOf = (run: string) => [...new Set(run.match(/^\S+/gm))];

const jsonl = (rows: object[]) => rows.map((row) => JSON.stringify(row)).join('\n');

// A folder as BEIR has them: queries.jsonl holds the queries of every split.
beforeAll(async () => {
  const subjects = ['owls', 'herons', 'swifts', 'terns', 'wrens', 'ravens'];
  writeFileSync(
    at('corpus.jsonl'),
    jsonl(subjects.map((word) => ({ _id: `d-${word}`, text: `${word} and their nests` }))),
  );
  const unknown = ['quarks', 'gluons', 'muons', 'bosons', 'photons'];
  const texts = [...subjects, ...unknown].map((word) => ({ _id: `q-${word}`, text: word }));
  writeFileSync(at('queries.jsonl'), jsonl(texts));
  mkdirSync(at('qrels'));
  const header = 'query-id\tcorpus-id\tscore\n';
  writeFileSync(at('qrels/test.tsv'), `${header}q-owls\td-owls\t1\nq-terns\td-terns\t1\n`);
  writeFileSync(at('qrels/train.tsv'), `${header}q-wrens\td-wrens\t1\n`);
  expect((await bertQe('index', folder, '--out', index)).code).toBe(0);
});

describe('--qrels of search and rerank', () => {
  it('searches for the judged queries only, and says which split of a folder was taken', async () => {
    const args = ['search', '--index', index, '--queries', folder];
    const all = await bertQe(...args);
    expect(queriesOf(all.stdout)).toHaveLength(6);
    const judged = await bertQe(...args, '--qrels', folder);
    expect(queriesOf(judged.stdout)).toEqual(['q-owls', 'q-terns']);
    expect(judged.stderr).toContain(
      `${at('qrels/test.tsv')} (not train.tsv; name the file for another split).\n`,
    );
    const train = await bertQe(...args, '--qrels', at('qrels/train.tsv'));
    expect(queriesOf(train.stdout)).toEqual(['q-wrens']);
    expect(train.stderr).not.toContain('another split');
  });

  it('re-ranks the judged queries of a run of all, and of an index', async () => {
    await bertQe(...words`search --index ${index} --queries ${folder} --out ${at('all.run')}`);
    const args = words`rerank --index ${index} --queries ${folder} --qrels ${folder} --models T`;
    const read = await bertQe(...args, '--run', at('all.run'), '--out', at('read.run'));
    expect(read.stderr).toMatch(/2 queries/);
    expect(queriesOf(readFileSync(at('read.run'), 'utf8'))).toEqual(['q-owls', 'q-terns']);
    const retrieved = await bertQe(...args);
    expect(queriesOf(retrieved.stdout)).toEqual(['q-owls', 'q-terns']);
  });

  it('is refused without --queries, with judgements of others, and with a run of others', async () => {
    const alone = await bertQe('search', '--index', index, 'owls', '--qrels', folder);
    expect(alone).toMatchObject({ code: 2, stderr: expect.stringContaining('no effect without --queries') });
    writeFileSync(at('other.qrels'), 'x 0 d-owls 1\n');
    const args = ['--index', index, '--queries', folder, '--qrels'];
    const none = await bertQe('search', ...args, at('other.qrels'));
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('judges none of the queries') });
    writeFileSync(at('other.run'), 'q-wrens Q0 d-wrens 1 1 x\n');
    const run = await bertQe(...words`rerank ${args} ${folder} --run ${at('other.run')} --models T`);
    expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining('none of the chosen queries') });
  });
});

describe('queries that find nothing', () => {
  it('names three and counts the rest', async () => {
    const { code, stderr } = await bertQe('search', '--index', index, '--queries', folder);
    expect(code).toBe(0);
    expect(stderr.match(/finds nothing/g)).toHaveLength(3);
    expect(stderr).toContain('5 without any document');
  });
});

describe('evaluate --qrels FOLDER', () => {
  it('says which split it took', async () => {
    writeFileSync(at('owls.run'), 'q-owls Q0 d-owls 1 1 x\n');
    for (const qrels of [folder, at('qrels')]) {
      const { stderr } = await bertQe('evaluate', '--qrels', qrels, at('owls.run'));
      expect(stderr).toContain(`Judgements of ${qrels}: ${at('qrels/test.tsv')} (not train.tsv;`);
    }
  });
});
