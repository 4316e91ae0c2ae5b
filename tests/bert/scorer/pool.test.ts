import { describe, expect, it, onTestFinished } from 'vitest';
import type { BatchTask } from '../../../src/bert/scorer/messages.js';
import { WorkerPool, type WorkerStart } from '../../../src/bert/scorer/pool.js';

const ANSWER = 1;
const DIE = 2;
const DIE_ONCE = 3;
const FAIL = 4;
const SLOW = 5;
const FINISH_AND_DIE = 6;
const CARD = 7;

const owner = {};

function task(order: number, tag = 0): BatchTask {
  return { ids: Int32Array.of(order), splits: Int32Array.of(tag), shapes: [{ rows: 1, length: 1 }] };
}

/** A batch for each order; its answer is its place. */
function sharedTask(...orders: readonly number[]): BatchTask {
  return {
    ids: Int32Array.from(orders),
    splits: Int32Array.from(orders.keys()),
    shapes: orders.map(() => ({ rows: 1, length: 1 })),
  };
}

function fake(refuse?: string): WorkerStart & { readonly deaths: Int32Array } {
  const deaths = new Int32Array(new SharedArrayBuffer(4));
  // The fake reads its orders from where a real worker finds its model.
  const model = { deaths, refuse, labels: 1 } as unknown as WorkerStart['setup']['model'];
  const file = new URL('./fake-worker.js', import.meta.url);
  return { file, deaths, setup: { model, device: 'cpu', threads: 1, secondSegment: 1 } };
}

async function openPool(size: number, start: WorkerStart = fake()): Promise<WorkerPool> {
  const pool = await WorkerPool.open(size, start);
  onTestFinished(() => pool.close());
  return pool;
}

describe('the pool of workers', () => {
  it('answers every task with its own result', async () => {
    const pool = await openPool(3);
    const tags = Array.from({ length: 50 }, (_, i) => i);
    const results = await Promise.all(tags.map((tag) => pool.run(task(tag % 7 ? ANSWER : SLOW, tag), owner)));
    expect(results.map(([tag]) => tag)).toEqual(tags);
  });

  it('gives a task to a fresh worker when the first one dies under it', async () => {
    const start = fake();
    const pool = await openPool(1, start);
    const others = [pool.run(task(ANSWER, 7), owner), pool.run(task(ANSWER, 8), owner)];
    expect([...(await pool.run(task(DIE_ONCE, 9), owner))]).toEqual([9]);
    expect((await Promise.all(others)).map(([tag]) => tag)).toEqual([7, 8]);
    expect(start.deaths[0]).toBe(1);
  });

  it('gives up on a task that kills two workers, and goes on with the others', async () => {
    const start = fake();
    const pool = await openPool(2, start);
    const fatal = pool.run(task(DIE), owner);
    const others = Array.from({ length: 20 }, (_, tag) => pool.run(task(SLOW, tag), owner));
    await expect(fatal).rejects.toThrow(
      /Two scoring workers died on the same batch \(this worker was told to die\)/,
    );
    expect((await Promise.all(others)).map(([tag]) => tag)).toEqual(Array.from({ length: 20 }, (_, i) => i));
    expect(start.deaths[0]).toBe(2);
  });

  it('passes on what a worker says went wrong, without trying again', async () => {
    const pool = await openPool(1);
    await expect(pool.run(task(FAIL), owner)).rejects.toMatchObject({
      code: 'failure',
      message: 'out of luck',
    });
    expect([...(await pool.run(task(ANSWER, 3), owner))]).toEqual([3]);
  });

  it('divides its workers among the cards, and puts a new one where one has died', async () => {
    const pool = await openPool(4, { ...fake(), cards: 2 });
    const cardsOfAll = async () => {
      const answers = await Promise.all(Array.from({ length: 4 }, () => pool.run(task(CARD), owner)));
      return answers.map(([card]) => card).sort();
    };
    expect(await cardsOfAll()).toEqual([0, 0, 1, 1]);
    await pool.run(task(DIE_ONCE), owner);
    // The dead worker is replaced when there is more to do than the others hold.
    const afterMuchWork = async () => {
      await Promise.all(Array.from({ length: 12 }, () => pool.run(task(SLOW), owner)));
      return cardsOfAll();
    };
    await expect.poll(afterMuchWork, { timeout: 10_000 }).toEqual([0, 0, 1, 1]);
  });

  it('has workers take the batches of a shared task from each other: each is done once', async () => {
    const pool = await openPool(3);
    const tasks = Array.from({ length: 5 }, () => sharedTask(SLOW, ...Array<number>(20).fill(ANSWER)));
    const results = await Promise.all(tasks.map((each) => pool.run(each, owner, Infinity)));
    for (const result of results) expect([...result]).toEqual(Array.from({ length: 21 }, (_, i) => i));
  });

  it('finishes a shared task though a worker dies with one of its batches', async () => {
    const start = fake();
    const pool = await openPool(2, start);
    const result = await pool.run(sharedTask(SLOW, DIE_ONCE, SLOW, SLOW, ANSWER), owner, Infinity);
    expect([...result]).toEqual([0, 1, 2, 3, 4]);
    expect(start.deaths[0]).toBe(1);
  });

  it('keeps what a worker did of a shared task that dies of the next one', async () => {
    const start = fake();
    const pool = await openPool(2, start);
    const shared = pool.run(sharedTask(SLOW, ANSWER), owner, Infinity);
    // One for each: the worker with the short batch has finished it when the next one comes.
    const next = [pool.run(task(ANSWER, 8), owner), pool.run(task(DIE_ONCE, 9), owner)];
    expect([...(await shared)]).toEqual([0, 1]);
    expect((await Promise.all(next)).map(([tag]) => tag)).toEqual([8, 9]);
    expect(start.deaths[0]).toBe(1);
  });

  it('answers for all when the last worker of a shared task dies before it can', async () => {
    const start = fake();
    const pool = await openPool(2, start);
    expect([...(await pool.run(sharedTask(ANSWER, FINISH_AND_DIE), owner, Infinity))]).toEqual([0, 1]);
    expect(start.deaths[0]).toBe(1);
  });

  it('forgets the part of a shared task that no worker has when its owner gives up', async () => {
    const pool = await openPool(2);
    const held = Array.from({ length: 3 }, (_, tag) => pool.run(task(SLOW, tag), {}));
    const shared = pool.run(sharedTask(ANSWER, ANSWER), owner, Infinity);
    pool.withdraw(owner, new Error('withdrawn'));
    await expect(shared).rejects.toThrow('withdrawn');
    expect((await Promise.all(held)).map(([tag]) => tag)).toEqual([0, 1, 2]);
    expect([...(await pool.run(sharedTask(ANSWER, ANSWER), owner, Infinity))]).toEqual([0, 1]);
  });

  it('begins no further batch of a shared task that failed, or that was withdrawn', async () => {
    const pool = await openPool(2);
    const many = Array<number>(40).fill(SLOW);
    const failing = pool.run(sharedTask(FAIL, ...many), owner, Infinity);
    await expect(failing).rejects.toThrow('out of luck');
    const given = pool.run(sharedTask(...many), owner, Infinity);
    pool.withdraw(owner, new Error('withdrawn'));
    // A worker finishes the batch that it has; logits that were not computed are NaN.
    const computed = [...(await given)].filter((logit) => !Number.isNaN(logit));
    expect(computed.length).toBeLessThanOrEqual(2);
  });

  it('refuses to open with the reason the model was refused for', async () => {
    await expect(WorkerPool.open(2, fake('model.onnx is no model'))).rejects.toMatchObject({
      code: 'input',
      message: 'model.onnx is no model',
    });
  });

  it('drops the waiting tasks of one owner and finishes the rest', async () => {
    const pool = await openPool(1);
    const mine = Array.from({ length: 10 }, (_, tag) => pool.run(task(SLOW, tag), owner));
    const hers = pool.run(task(ANSWER, 77), {});
    const settled = Promise.allSettled(mine);
    pool.withdraw(owner, new Error('withdrawn'));
    const outcomes = (await settled).map(({ status }) => status);
    expect(outcomes.filter((status) => status === 'fulfilled')).toHaveLength(pool.capacity);
    expect([...(await hers)]).toEqual([77]);
  });

  it('finishes its tasks before it closes, and takes no more', async () => {
    const pool = await WorkerPool.open(2, fake());
    const tasks = Array.from({ length: 9 }, (_, tag) => pool.run(task(SLOW, tag), owner));
    await pool.close();
    expect((await Promise.all(tasks)).map(([tag]) => tag)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(() => pool.run(task(ANSWER), owner)).toThrow(/closed/);
  });
});
