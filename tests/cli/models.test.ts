import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cpSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { withLock } from '../../src/common/lock.js';
import { bertQe } from '../support/cli.js';
import { temporaryFolder } from '../support/folders.js';
import { jsonLines, refusal, words } from './support.js';

const folder = temporaryFolder();
const fixtures = fileURLToPath(new URL('../fixtures/bert/', import.meta.url));
const pairsFile = join(folder, 'pairs.jsonl');

beforeAll(() => {
  const texts = ['bees and flowers', 'a bridge of steel', 'the price of coffee', 'sleep helps memory'];
  const pairs = texts.flatMap((a) => texts.flatMap((b) => [b, `${b} and more`].map((c) => ({ a, b: c }))));
  writeFileSync(pairsFile, pairs.map((pair) => `${JSON.stringify(pair)}\n`).join(''));
});

async function score(model: string): Promise<number[]> {
  const { code, stdout, stderr } = await bertQe(['score', '--model', model, '--pairs', pairsFile]);
  expect(code, stderr).toBe(0);
  return jsonLines<{ score: number }>(stdout).map((line) => line.score);
}

describe('bert-qe models', () => {
  it('lists what there is', async () => {
    const { code, stdout } = await bertQe(['models', 'list']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^T {2}tiny +bert, 2 labels/m);
    const listed = JSON.parse((await bertQe(['models', 'list', '--json'])).stdout) as { letter?: string }[];
    expect(listed.map(({ letter }) => letter)).toEqual(expect.arrayContaining(['T', 'S']));
  });

  it('describes a model', async () => {
    const { stdout } = await bertQe(['models', 'info', 'S', '--json']);
    const info = JSON.parse(stdout) as Record<string, unknown>;
    expect(info).toMatchObject({
      letter: 'S',
      parameters: 7_551_746,
      flopsPer384Tokens: 24 * 256 ** 2 * 4 * 384,
      tokenizer: 'WordPiece',
      vocabulary: 16_384,
      labels: 2,
      weights: 'safetensors',
    });
    const files = info['files'] as { name: string; sha256: string }[];
    expect(files.find(({ name }) => name === 'model.safetensors')?.sha256).toMatch(/^[0-9a-f]{64}$/);
    expect((await bertQe(['models', 'info', 'S'])).stdout).toMatch(/FLOPs per 384 tokens +2\.42 G/);
  });

  it('converts, so that the copy scores as the original', async () => {
    const expected = await score('T');
    for (const args of [[], ['--dtype', 'float16'], ['--format', 'onnx']]) {
      const target = join(folder, `converted${args.join('')}`);
      const { code, stderr } = await bertQe(['models', 'convert', 'T', '--out', target, ...args]);
      expect(code, stderr).toBe(0);
      const scores = await score(target);
      scores.forEach((value, i) => expect(value).toBeCloseTo(expected[i], 5));
    }
  });

  it('converts for pages: rounded and compressed, with nearly the same scores', async () => {
    const target = join(folder, 'web');
    const { stderr } = await bertQe(words`models convert T --out ${target} --format web`);
    expect(stderr).toBe(`${target}: written as model.safetensors.gz\n`);
    expect(statSync(join(target, 'model.safetensors.gz')).size).toBeLessThan(3_800_000);
    const expected = await score('T');
    const scores = await score(target);
    scores.forEach((value, i) => expect(Math.abs(value - expected[i])).toBeLessThan(0.01));
    expect(scores).not.toEqual(expected);
  });

  it.each(['convert', 'quantize'])(
    'does not %s into a folder that another process writes',
    async (command) => {
      const target = join(folder, `locked-${command}`);
      await withLock(join(target, '.lock'), { what: target }, async () => {
        const { code, stderr } = await bertQe(['models', command, 'T', '--out', target]);
        expect({ code, stderr }).toEqual({
          code: 2,
          stderr: `bert-qe: ${target} is being written by process ${process.pid}; wait for it, or write elsewhere.\n`,
        });
      });
      expect(readdirSync(target)).toEqual([]);
    },
  );

  it('converts a TensorFlow checkpoint named by its prefix', async () => {
    const source = join(folder, 'google');
    const tensorflow = join(fixtures, 'checkpoints/tensorflow');
    cpSync(tensorflow, source, { recursive: true });
    const words = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]', ...'abcdefghijklmnopqr'];
    writeFileSync(join(source, 'vocab.txt'), `${words.join('\n')}\n`);
    const target = join(folder, 'from-google');
    const checkpoint = join(source, 'bert_model.ckpt');
    const { code, stderr } = await bertQe(['models', 'convert', checkpoint, '--out', target]);
    expect(code, stderr).toBe(0);
    const info = JSON.parse((await bertQe(['models', 'info', target, '--json'])).stdout) as object;
    expect(info).toMatchObject({ weights: 'safetensors', layers: 2, hidden: 8 });
  });

  it('quantizes and tells how well the result agrees', async () => {
    const target = join(folder, 'int8');
    const { code, stdout } = await bertQe(words`models quantize T --out ${target} --pairs ${pairsFile}`);
    expect(code).toBe(0);
    const [, tau] = /on 32 pairs Kendall's tau with fp32 is ([\d.]+), [\d.]+ per list/.exec(stdout)!;
    expect(Number(tau)).toBeGreaterThan(0.9);
    const expected = await score('T');
    (await score(target)).forEach((value, i) => expect(Math.abs(value - expected[i])).toBeLessThan(0.05));
  });

  it.each([
    [['lst'], /models cannot "lst"; did you mean "list"\?/],
    [['info'], /models info needs a model/],
    [['info', 'nothing'], /No model "nothing"/],
    [['convert', 'T'], /models convert needs --out/],
    [['quantize', 'T', '--out', fixtures], /is not empty/],
    [['get'], /models get needs ORG\/NAME/],
    [['get', 'a/b', '--as', '../x'], /--as \.\.\/x: a name has letters/],
  ])('refuses %o', async (args, message) => {
    expect(refusal(await bertQe(['models', ...args]))).toMatch(message);
  });
});

describe('bert-qe models get', () => {
  let hub: Server;
  const tiny = fileURLToPath(new URL('../../models/tiny/', import.meta.url));
  const names = ['config.json', 'model.safetensors', 'tokenizer.json'];
  beforeAll(async () => {
    hub = createServer((request, response) => {
      const name = names.find((each) => request.url?.endsWith(`/${each}`));
      if (request.url?.startsWith('/api/models/org/tiny')) {
        const siblings = names.map((rfilename) => ({
          rfilename,
          size: readFileSync(tiny + rfilename).length,
        }));
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ sha: 'a'.repeat(40), siblings }));
      } else if (name) {
        const bytes = readFileSync(tiny + name);
        response.setHeader('etag', `"${'0'.repeat(39)}${names.indexOf(name)}"`);
        response.setHeader('content-length', bytes.length);
        response.end(request.method === 'HEAD' ? undefined : bytes);
      } else {
        response.writeHead(404).end();
      }
    });
    await new Promise<void>((resolve) => hub.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => void hub.close());

  it('fetches a model, prints its folder and gives it a letter', async () => {
    vi.stubEnv('HF_ENDPOINT', `http://127.0.0.1:${(hub.address() as AddressInfo).port}`);
    vi.stubEnv('HF_HUB_CACHE', join(folder, 'hub'));
    vi.stubEnv('BERT_QE_CACHE', join(folder, 'cache'));
    const { code, stdout, stderr } = await bertQe(['models', 'get', 'org/tiny', '--as', 'M']);
    expect(code, stderr).toBe(0);
    expect(stderr).toMatch(/org\/tiny: 3 files, now also called M/);
    const info = JSON.parse((await bertQe(['models', 'info', 'M', '--json'])).stdout) as object;
    expect(info).toMatchObject({ letter: 'T', folder: join(folder, 'cache/models/medium') });
    expect(stdout.trim()).toMatch(/snapshots/);
    const { stdout: ranked } = await bertQe(
      ['rerank', 'how is bread baked', '--documents', '-', '--models', 'MMT', '--json'],
      { input: '{"id":"a","text":"bread"}\n{"id":"b","text":"bread, bread and bread"}\n' },
    );
    expect(JSON.parse(ranked)).toMatchObject({ results: [{ relevance: expect.any(Number) as number }, {}] });
    vi.unstubAllEnvs();
  });
});
