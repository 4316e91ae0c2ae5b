import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loopback } from '../remote/support/loopback.js';
import { temporaryFolder } from '../support/folders.js';
import { runExperiment } from './run-experiment.js';
import { overlap } from './fake-model.js';
import { smallExperiment } from './small-experiment.js';

interface TeiBody {
  readonly query: string;
  readonly texts: readonly string[];
}

const server = await loopback(({ path, body }) => {
  if (path === '/info') return { json: { model_id: 'overlap', max_client_batch_size: 32 } };
  const { query, texts } = body as TeiBody;
  return { json: texts.map((text, index) => ({ index, score: overlap({ a: query, b: text }, 'server') })) };
});

/** A server with no model behind it. */
const empty = await loopback(() => ({ status: 404, json: { error: 'no such page' } }));

const settings = { variants: ['TTT'], ablations: undefined, grid: undefined, baselines: ['DPH', 'T'] };

describe('an experiment with a model on a server', () => {
  const folder = temporaryFolder();
  const address = `tei+${server.url}`;

  test('writes the runs that the same model gives here', async () => {
    const small = smallExperiment(folder, { ...settings, models: { T: address } });
    const remote = await runExperiment(small.file, { out: join(folder, 'remote') });
    small.write(settings);
    await runExperiment(small.file, {
      out: join(folder, 'local'),
      openModel: async () => ({
        score: async (pairs) => Float32Array.from(pairs, (pair) => overlap(pair, 'server')),
        close: async () => undefined,
      }),
    });
    for (const run of ['BERT-QE-TTT', 'BERT-Tiny', 'DPH+KL']) {
      const read = (where: string): string => readFileSync(join(folder, where, 'runs', `${run}.run`), 'utf8');
      expect(read('remote'), run).toBe(read('local'));
    }
    const manifest = JSON.parse(readFileSync(join(folder, 'remote/manifest.json'), 'utf8')) as {
      models: unknown;
    };
    expect(manifest.models).toEqual({ [address]: { address } });
    expect(remote.results.variants[0].reranking!.timing!.machine).toBe(address);
  });

  test('asks the server nothing that it knows', async () => {
    const before = server.asked.length;
    const small = smallExperiment(folder, { ...settings, models: { T: address } });
    const { ran } = await runExperiment(small.file, { out: join(folder, 'remote') });
    expect(ran).toEqual([]);
    // The model is looked up, as every model is before an experiment begins.
    expect(server.asked.slice(before).map(({ path }) => path)).toEqual(['/info']);
  });

  test('names a server without a model, before anything is indexed', async () => {
    const small = smallExperiment(folder, { ...settings, models: { T: `tei+${empty.url}` } });
    const steps: string[] = [];
    await expect(
      runExperiment(small.file, {
        out: join(folder, 'none'),
        onProgress: ({ step }) => void steps.push(step),
      }),
    ).rejects.toThrow(empty.url);
    expect(steps).toEqual([]);
  });

  test('cannot be trained from one', () => {
    const small = smallExperiment(folder, { ...settings, models: { T: address }, training: { steps: 1 } });
    return expect(runExperiment(small.file, { out: join(folder, 'trained') })).rejects.toThrow(
      'models.T: training starts from the model in a folder, not from one on a server',
    );
  });
});
