import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { compiledModel } from '../../src/bert/compile/index.js';
import { loadTokenizer, readModelConfig } from '../../src/bert/model-folder.js';
import type { Document } from '../../src/collection/index.js';
import { BertQeError } from '../../src/common/errors.js';
import { Journal } from '../../src/common/journal.js';
import {
  buildIndex,
  checkIndex,
  createAnalyzer,
  DivergenceFeedback,
  Index,
  KL,
  Searcher,
} from '../../src/retrieval/index.js';
import { Checkpoints, type SavedTraining } from '../../src/training/checkpoints.js';
import { miniModel } from '../bert/scorer/mini-model.js';
import { eachFlip } from '../support/flips.js';
import { temporaryFolder } from '../support/folders.js';
import { runChild } from '../training/run-child.js';
import { toyModel } from '../training/toy-task.js';

/** Single flipped bits of everything that is stored. `FLIPS=20000 FLIP_SEED=1 npm run test:flips` draws more, and others. */
const flips = 1000;

/** The error of an action, which must be one of ours; undefined without one. */
async function errorOf(action: () => unknown): Promise<BertQeError | undefined> {
  try {
    await action();
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(BertQeError);
    return error as BertQeError;
  }
}

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
}

describe('one flipped bit', () => {
  test('of an index changes no result, is named where it would, and is found by check', async () => {
    const folder = join(temporaryFolder(), 'index');
    const documents: Document[] = Array.from({ length: 400 }, (_, d) => ({
      id: `doc-${d}`,
      title: `Article ${d}`,
      text: Array.from({ length: 10 + (d % 50) }, (__, i) => `word${(d * 31 + i * i) % 97} common`).join(' '),
    }));
    async function* stream(): AsyncGenerator<Document> {
      yield* documents;
    }
    await buildIndex(stream(), { folder, analyzer: createAnalyzer({ base: 'terrier' }) });
    const use = async (): Promise<string> => {
      const index = Index.open(folder);
      try {
        const searcher = new Searcher(index, { feedback: new DivergenceFeedback(KL) });
        const rankings = [];
        for (const text of ['word3 word50', 'common word96', 'article 7']) {
          rankings.push(await searcher.search({ id: '1', text }, { depth: 400 }));
        }
        return JSON.stringify([rankings, [...(await index.get(documents.map(({ id }) => id)))]]);
      } finally {
        await index.close();
      }
    };
    const whole = await use();
    let named = 0;
    await eachFlip(filesUnder(folder), flips, async (place) => {
      let found = whole;
      const error = await errorOf(async () => (found = await use()));
      expect(found === whole, place).toBe(true);
      if (error) named++;
      let problems = 0;
      const checked = await errorOf(() => (problems = checkIndex(folder).problems.length));
      expect(checked !== undefined || problems > 0, place).toBe(true);
    });
    expect(named).toBeGreaterThan(flips / 2);
    expect(await use()).toBe(whole);
  });

  test('of a compiled model is found, and the model written again', async () => {
    vi.stubEnv('BERT_QE_CACHE', temporaryFolder());
    const warnings: string[] = [];
    const warn = vi
      .spyOn(process, 'emitWarning')
      .mockImplementation((warning) => void warnings.push(String(warning)));
    const model = await miniModel();
    const [tokenizer, config] = [await loadTokenizer(model), await readModelConfig(model)];
    const compile = async (): Promise<string> => {
      const options = { precision: 'fp32', device: 'cpu', batches: 'equal', tokenizer } as const;
      return (await compiledModel(model, config, options)).path;
    };
    const files = filesUnder(join(await compile(), '..'));
    const wholes = files.map((file) => readFileSync(file));
    await eachFlip(files, flips, async (place) => {
      warnings.length = 0;
      await compile();
      expect(warnings, place).toEqual([expect.stringContaining('is damaged')]);
      for (const [i, file] of files.entries()) expect(readFileSync(file).equals(wholes[i]), place).toBe(true);
    });
    warn.mockRestore();
    vi.unstubAllEnvs();
  });

  test('of the state of a training is found before it is resumed', async () => {
    const folder = temporaryFolder();
    const model = await toyModel(join(folder, 'base'));
    const options = { steps: 24, batch: 16, maxLength: 24, saveEvery: 5, validateEvery: 8, threads: 2 };
    const out = join(folder, 'out');
    const stopped = await runChild({ model, out, options, stop: { signal: 'SIGKILL', at: 'step 19' } });
    expect(stopped.signal).toBe('SIGKILL');
    const checkpoints = new Checkpoints(join(out, 'checkpoints'));
    const last = checkpoints.path(Checkpoints.fileName);
    const saved = JSON.parse(readFileSync(last, 'utf8')) as SavedTraining;
    const files = [last, checkpoints.path(saved.state.name), checkpoints.path(saved.best!.name)];
    await eachFlip(files, flips, async (place) => {
      const error = await errorOf(() => checkpoints.read(saved.configuration));
      expect(error?.code, place).toBe('corrupt');
    });
    expect(await checkpoints.read(saved.configuration)).toMatchObject({ step: saved.step });
  });

  test('of a journal gives no entry that was not written', async () => {
    const path = join(temporaryFolder(), 'run.journal');
    const open = (): Promise<Journal<{ id: string; scores: number[] }>> =>
      Journal.open(path, {
        kind: 'test 1',
        inputs: { model: 'a' },
        keysOf: ({ id }) => [id],
        ifOther: 'refuse',
      });
    const entries = Array.from({ length: 20 }, (_, i) => ({ id: `q${i}`, scores: [i / 7, i / 11, 0.5] }));
    const journal = await open();
    for (const entry of entries) await journal.append(entry);
    await journal.close();
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    await eachFlip([path], flips, async (place) => {
      await errorOf(async () => {
        const damaged = await open();
        for (const entry of entries) {
          const found = await damaged.get(entry.id);
          if (found !== undefined) expect(found, place).toEqual(entry);
        }
        await damaged.close();
      });
    });
    warn.mockRestore();
  });
});
