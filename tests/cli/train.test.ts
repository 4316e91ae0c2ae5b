import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { writeRun } from '../../src/collection/index.js';
import { buildIndex, createAnalyzer } from '../../src/retrieval/index.js';
import { bertQe } from '../support/cli.js';
import { temporaryFolder } from '../support/folders.js';
import { merged, toyCollection, toyModel, toyNames } from '../training/toy-task.js';
import { words } from './support.js';

function queryLines(queries: readonly { id: string; text: string }[]): string {
  return queries.map(({ id, text }) => `${JSON.stringify({ _id: id, text })}\n`).join('');
}

describe('bert-qe train', { timeout: 600_000 }, () => {
  const folder = temporaryFolder();
  const at = (name: string): string => join(folder, name);
  const [training, validation] = [toyCollection('t', 12), toyCollection('v', 4)];
  const both = merged(training, validation);
  const inputs = ['--index', at('index'), '--queries', at('queries.jsonl'), '--qrels', at('qrels.txt')];
  const rest = words`--run ${at('candidates.run')} --model ${at('base')} --steps 6 --max-length 24`;
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
    const train = words`train ${inputs} ${rest} --out ${out}`;
    const validated = words`--validation-queries ${at('validation.jsonl')}`;
    const trained = await bertQe([...train, ...validated, ...words`--loss listwise --group-size 4`]);
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
    const scored = await bertQe(words`score --model ${out} --pairs - --max-length 24`, {
      input: '{"a": "thingaa", "b": "otheraa"}\n',
    });
    expect(scored.code).toBe(0);
    expect(JSON.parse(scored.stdout)).toMatchObject({ score: expect.any(Number) as number });

    const twice = await bertQe(train);
    expect([twice.code, twice.stderr]).toEqual([2, expect.stringContaining('holds a trained model already')]);
  });

  test('trains phase three on chunks, by the final score', async () => {
    await toyModel(at('first'), 'classifier');
    const out = at('third');
    const data = words`${inputs} ${rest} --validation-queries ${at('validation.jsonl')}`;
    const chunks = words`--on chunks --phase1 ${at('first')} --kc 2 --chunk-words 2 --depth 8`;
    const loss = words`--loss residual --loss-alpha 0.4 --group-size 4 --batch 8`;
    const trained = await bertQe(words`train ${data} ${chunks} ${loss} --out ${out}`);
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
        alpha: 0.3,
        beta: 0.95,
        rerankedDepth: 8,
      },
      examples: { queries: 12 },
    });
  });

  test('trains a new model on text, and then on stored scores', async () => {
    const texts = toyNames.map((names) => `${names.join(' ')}\n`.repeat(40));
    writeFileSync(at('texts.txt.gz'), gzipSync(texts.join('')));
    writeFileSync(at('held.txt'), texts.join(''));
    const text = words`--on text --corpus ${at('texts.txt.gz')} --validation-corpus ${at('held.txt')}`;
    const shape = words`--vocabulary ${at('base')} --layers 1 --hidden 32 --heads 2 --positions 32`;
    const settings = words`--max-length 16 --steps 4 --batch 8 --masked-share 0.2`;
    const pretrained = await bertQe(words`train ${text} ${shape} ${settings} --out ${at('text')}`);
    expect(pretrained.stderr).toMatch(/step 4 of 4 · loss .* · validation loss \d\.\d{4} at step/);
    expect(pretrained.stderr).toMatch(
      /4 steps on 640 word pieces, .*; best after step 4: validation loss \d/,
    );
    expect(pretrained).toMatchObject({ code: 0, stdout: `${at('text')}\n` });
    expect(readFileSync(at('text/loss.svg'), 'utf8')).toContain('validation loss');
    expect(JSON.parse(readFileSync(at('text/config.json'), 'utf8'))).toMatchObject({
      architectures: ['BertForMaskedLM'],
      num_hidden_layers: 1,
    });
    const candidates = toyNames.map(([, synonym], i) => ({ text: synonym, target: i === 0 ? 2 : -2 }));
    const groups = JSON.stringify({ query: toyNames[0][0], candidates });
    writeFileSync(at('groups.jsonl.gz'), gzipSync(`${groups}\n`.repeat(3)));
    const file = at('groups.jsonl.gz');
    const scored = words`--on groups --groups ${file} --validation-groups ${file} --model ${at('text')}`;
    const rank = words`--group-size 4 --batch 8 --max-length 16 --epochs 2 --out ${at('scores')}`;
    const trained = await bertQe(words`train ${scored} ${rank}`);
    expect(trained.stderr).toMatch(
      /3 steps on 24 candidates of 3 groups, .*; best after step \d: validation loss/,
    );
    expect(trained).toMatchObject({ code: 0, stdout: `${at('scores')}\n` });
    expect(JSON.parse(readFileSync(at('scores/training.json'), 'utf8'))).toMatchObject({
      configuration: { loss: 'distilled', groupSize: 4, learningRate: 1e-4 },
      examples: { groups: 3, candidates: 24 },
    });
  });

  const text = ['--on', 'text', '--corpus', at('texts.txt.gz'), '--out', at('n')];
  const ready = [...inputs, ...rest, '--out', at('n')];
  test.each([
    [['--on', 'text', '--out', at('n')], 'train needs --corpus'],
    [['--on', 'groups', '--out', at('n')], 'train needs --groups'],
    [text, 'train --on text needs --model, or --vocabulary and --size'],
    [[...text, '--size', 'T'], 'train --on text needs --model, or --vocabulary and --size'],
    [[...text, '--model', at('base'), '--size', 'T'], '--size has no effect with --model; leave it out.'],
    [[...text, '--model', at('base'), '--depth', '5'], '--depth has no effect with --on text; leave it out.'],
    [['--corpus', 'x'], '--corpus has no effect without --on text; add that.'],
    [['--groups', 'x'], '--groups has no effect without --on groups; add that.'],
    [['--method', 'snrm', '--on', 'text'], '--on has no effect with --method snrm; leave it out.'],
    [['--queries', 'x'], 'train needs --index'],
    [[...inputs, ...rest], 'train needs --out'],
    [[...ready, '--epochs', '2'], 'epochs and steps exclude each other'],
    [[...ready, '--teacher-weight', '1'], 'has no effect without --teacher'],
    [[...ready, '--loss', 'hinge'], '--loss must be one of pointwise, pairwise, listwise'],
    [[...ready, '--group-size', '4'], 'groupSize belongs to the loss listwise'],
    [[...ready, '--max-length', '100'], 'has positions for 32 tokens'],
    [[...ready, '--kc', '5'], '--kc has no effect without --on chunks'],
    [
      [...ready, '--on', 'chunks', '--validation-depth', '5'],
      '--validation-depth has no effect with --on chunks',
    ],
    [[...ready, '--loss', 'residual'], 'The residual loss is that of phase three on chunks'],
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
