import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { deviceStates, openCheckpoint, writeSafetensors } from '../../src/bert/index.js';
import {
  trainModel,
  type TrainCall,
  type TrainingInputs,
  type TrainingOptions,
} from '../../src/training/index.js';
import { temporaryFolder } from '../support/folders.js';
import { toyCollection, toyConfig, toyModel } from './toy-task.js';

const cuda = (await deviceStates()).find(({ device }) => device === 'cuda')!;

describe('training refuses', () => {
  const folder = temporaryFolder();
  const collection = toyCollection('training', 4);
  let count = 0;

  async function complaint(
    inputs: Partial<TrainingInputs>,
    options: TrainingOptions = {},
    call: Partial<TrainCall> = {},
  ): Promise<{ code: string; message: string }> {
    const model = inputs.model ?? (await toyModel(join(folder, `model-${count}`)));
    try {
      await trainModel(
        { ...collection, documentsKey: 'toy', ...inputs, model },
        { steps: 4, batch: 8, maxLength: 24, learningRate: 1e-3, ...options },
        { out: join(folder, `out-${count++}`), ...call },
      );
    } catch (error) {
      return error as { code: string; message: string };
    }
    return expect.unreachable('it was accepted');
  }

  test.skipIf(cuda.isUsable)('CUDA where it cannot be used, with the reason', async () => {
    expect(await complaint({}, { device: 'cuda' })).toMatchObject({
      code: 'missing',
      message: `CUDA cannot be used here: ${cuda.detail}.`,
    });
  });

  test('queries without a relevant candidate', async () => {
    expect(await complaint({ qrels: new Map(), label: 'fold 3' })).toMatchObject({
      code: 'input',
      message: expect.stringContaining(
        'fold 3: none of the 32 candidates of its 4 training queries is judged relevant',
      ) as string,
    });
  });

  test('a run of other queries', async () => {
    expect(await complaint({ run: new Map() })).toMatchObject({
      code: 'input',
      message: expect.stringContaining(
        'the run ranks no documents for any of the 4 training queries',
      ) as string,
    });
  });

  test('groups where no query has both kinds', async () => {
    const all = new Map(
      [...collection.run].map(([q, ranking]) => [q, new Map(ranking.map(({ id }) => [id, 1]))]),
    );
    const qrels = new Map([...all].slice(0, 2));
    expect(await complaint({ qrels }, { loss: 'pairwise' })).toMatchObject({
      code: 'input',
      message: expect.stringContaining('no query has both a relevant and another candidate') as string,
    });
  });

  test('the residual loss of queries, and with a teacher', async () => {
    expect(await complaint({}, { loss: 'residual' })).toMatchObject({
      code: 'usage',
      message: expect.stringContaining('The residual loss is that of phase three on chunks') as string,
    });
    const model = await toyModel(join(folder, 'first'));
    const phaseThree = { phaseOne: model, phaseTwo: model, kd: 2, kc: 2, chunkWords: 2, depth: 8 };
    expect(await complaint({ phaseThree, teacher: model }, { loss: 'residual' })).toMatchObject({
      code: 'usage',
      message: expect.stringContaining('The residual loss knows no teacher') as string,
    });
  });

  test('a vocabulary that is not of the model', async () => {
    const model = await toyModel(join(folder, 'vocabulary'));
    const file = join(model, 'vocab.txt');
    writeFileSync(file, `${readFileSync(file, 'utf8')}more\n`);
    expect(await complaint({ model })).toMatchObject({
      code: 'input',
      message: expect.stringContaining(
        `vocab.txt: the vocabulary has ${toyConfig.vocabulary + 1} entries`,
      ) as string,
    });
  });

  test('a query on both sides', async () => {
    expect(await complaint({ validationQueries: collection.queries.slice(1, 2) })).toMatchObject({
      code: 'input',
      message: expect.stringContaining('Query "training1" is to be trained on and validated with') as string,
    });
  });

  test('sequences longer than the model has positions', async () => {
    expect(await complaint({}, { maxLength: 64 })).toMatchObject({
      code: 'usage',
      message: expect.stringContaining('has positions for 32 tokens') as string,
    });
  });

  test('a folder with something in it', async () => {
    const out = join(folder, 'taken');
    mkdirSync(out);
    writeFileSync(join(out, 'notes.txt'), 'mine');
    expect(await complaint({}, {}, { out })).toMatchObject({
      code: 'usage',
      message: `${out} is not empty; name a new folder for the model.`,
    });
  });

  test('numbers that are none: the step is named, and nothing is written over', async () => {
    const model = await toyModel(join(folder, 'broken'));
    const checkpoint = await openCheckpoint(model);
    const tensors = await Promise.all(
      [...checkpoint.tensors.values()].map(async ({ name, shape }) => {
        const values = await checkpoint.read(name);
        return {
          name,
          shape,
          values: name.includes('intermediate') ? values.map((value) => value * 1e38) : values,
        };
      }),
    );
    await checkpoint.close();
    await writeSafetensors(join(model, 'model.safetensors'), tensors);
    expect(await complaint({ model })).toMatchObject({
      code: 'failure',
      message: expect.stringMatching(
        /^Step 1 of 4: the loss is NaN and the gradient's norm NaN. Train with a smaller/,
      ) as string,
    });
  });
});
