import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { writeRun } from '../../src/collection/index.js';
import { buildIndex, createAnalyzer } from '../../src/retrieval/index.js';
import { bertQe } from '../support/cli.js';
import { temporaryFolder } from '../support/folders.js';
import { merged, toyCollection, toyModel } from '../training/toy-task.js';

function queryLines(queries: readonly { id: string; text: string }[]): string {
  return queries.map(({ id, text }) => `${JSON.stringify({ _id: id, text })}\n`).join('');
}

describe('bert-qe train', { timeout: 600_000 }, () => {
  const folder = temporaryFolder();
  const at = (name: string): string => join(folder, name);
  const [training, validation] = [toyCollection('t', 12), toyCollection('v', 4)];
  const both = merged(training, validation);
  const inputs = ['--index', at('index'), '--queries', at('queries.jsonl'), '--qrels', at('qrels.txt')];
  const rest = ['--run', at('candidates.run'), '--model', at('base'), '--steps', '6', '--max-length', '24'];
  beforeAll(async () => {
    await toyModel(at('base'));
    await buildIndex(documents(), { folder: at('index'), analyzer: createAnalyzer({ base: 'plain' }) });
    writeFileSync(
      at('queries.jsonl'),
      queryLines([...training.queries, { id: 'unjudged', text: 'thingaa' }]),
    );
    writeFileSync(at('validation.jsonl'), queryLines(validation.queries));
    const judged = [...both.qrels].flatMap(([query, levels]) =>
      [...levels].map(([document, level]) => `${query} 0 ${document} ${level}\n`),
    );
    writeFileSync(at('qrels.txt'), judged.join(''));
    await writeRun(
      at('candidates.run'),
      [...both.run].map(([query, ranking]) => ({ query, ranking })),
      { tag: 'toy' },
    );
  }, 600_000);

  async function* documents() {
    for (const [id, text] of both.texts) yield { id, text, origin: { file: 'toy' } };
  }

  test('writes a model folder that score reads, with the manifest and the loss curve', async () => {
    const out = at('trained');
    const trained = await bertQe([
      'train',
      ...inputs,
      ...rest,
      '--out',
      out,
      '--validation-queries',
      at('validation.jsonl'),
      '--loss',
      'listwise',
      '--group-size',
      '4',
    ]);
    expect(trained.stderr).toMatch(/1 query of .*queries\.jsonl without judgements left out/);
    expect(trained.stderr).toMatch(
      /step 6 of 6 · loss \d\.\d{4} · learning rate .* examples\/s · nDCG@20 .* left/,
    );
    expect(trained.stderr).toMatch(
      /6 steps on 24 relevant and 72 other candidates, .*; best after step \d: nDCG@20/,
    );
    expect(trained).toMatchObject({ code: 0, stdout: `${out}\n` });
    expect(JSON.parse(readFileSync(join(out, 'training.json'), 'utf8'))).toMatchObject({
      format: 'bert-qe-training',
      configuration: { loss: 'listwise', groupSize: 4, steps: 6 },
      steps: 6,
    });
    expect(readFileSync(join(out, 'loss.svg'), 'utf8')).toContain('nDCG@20');
    const scored = await bertQe(['score', '--model', out, '--pairs', '-', '--max-length', '24'], {
      input: '{"a": "thingaa", "b": "otheraa"}\n',
    });
    expect(scored.code).toBe(0);
    expect(JSON.parse(scored.stdout)).toMatchObject({ score: expect.any(Number) as number });

    const twice = await bertQe(['train', ...inputs, ...rest, '--out', out]);
    expect([twice.code, twice.stderr]).toEqual([2, expect.stringContaining('holds a trained model already')]);
  });

  test('trains phase three on chunks, by the final score', async () => {
    await toyModel(at('first'), 'classifier');
    const out = at('third');
    const chunks = '--on chunks --kc 2 --chunk-words 2 --depth 8';
    const loss = '--loss residual --loss-alpha 0.4 --group-size 4 --batch 8';
    const trained = await bertQe([
      'train',
      ...inputs,
      ...rest,
      '--out',
      out,
      '--validation-queries',
      at('validation.jsonl'),
      '--phase1',
      at('first'),
      ...`${chunks} ${loss}`.split(' '),
    ]);
    expect(trained.stderr).toMatch(/6 steps on 48 relevant and 144 other pairs, .*; best after step \d/);
    expect(trained).toMatchObject({ code: 0, stdout: `${out}\n` });
    expect(JSON.parse(readFileSync(join(out, 'training.json'), 'utf8'))).toMatchObject({
      configuration: {
        on: 'chunks',
        loss: 'residual',
        lossAlpha: 0.4,
        lossBeta: 0.95,
        groupSize: 4,
        kd: 10,
        kc: 2,
        chunkWords: 2,
        alpha: 0.15,
        beta: 0.95,
        rerankedDepth: 8,
      },
      examples: { queries: 12 },
    });
  });

  test.each([
    [['--queries', 'x'], 'train needs --index'],
    [[...inputs, ...rest], 'train needs --out'],
    [[...inputs, ...rest, '--out', at('n'), '--epochs', '2'], 'epochs and steps exclude each other'],
    [[...inputs, ...rest, '--out', at('n'), '--teacher-weight', '1'], 'has no effect without --teacher'],
    [
      [...inputs, ...rest, '--out', at('n'), '--loss', 'hinge'],
      '--loss must be one of pointwise, pairwise, listwise',
    ],
    [[...inputs, ...rest, '--out', at('n'), '--max-length', '100'], 'has positions for 32 tokens'],
    [[...inputs, ...rest, '--out', at('n'), '--kc', '5'], '--kc has no effect without --on chunks'],
    [
      [...inputs, ...rest, '--out', at('n'), '--on', 'chunks', '--validation-depth', '5'],
      '--validation-depth has no effect with --on chunks',
    ],
    [
      [...inputs, ...rest, '--out', at('n'), '--loss', 'residual'],
      'The residual loss is that of phase three on chunks',
    ],
  ])('with %j exits 2 and says why', async (options, message) => {
    const { code, stderr } = await bertQe(['train', ...options]);
    expect(stderr).toContain(message);
    expect(stderr.trimEnd().split('\n').at(-1)).toMatch(/^bert-qe: /);
    expect(code).toBe(2);
  });

  test('refuses judgements of other queries', async () => {
    writeFileSync(at('other.txt'), 'q 0 d 1\n');
    const options = [...inputs.slice(0, 4), '--qrels', at('other.txt'), ...rest, '--out', at('n')];
    const { code, stderr } = await bertQe(['train', ...options]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('other.txt: none of the 13 queries of')]);
  });

  test('refuses a folder that holds something else', async () => {
    mkdirSync(at('taken'));
    writeFileSync(at('taken/file'), '');
    const { code, stderr } = await bertQe(['train', ...inputs, ...rest, '--out', at('taken')]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('taken is not empty; name a new folder')]);
  });
});
