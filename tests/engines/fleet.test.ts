import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { distribute, fleetStatus, parseFleetAddress, workForFleet } from '../../src/remote/index.js';
import { openQueue } from '../../src/remote/fleet/queue.js';
import { bertQe, launcher } from '../support/cli.js';
import { smallExperiment } from '../experiment/small-experiment.js';
import { temporaryFolder } from '../support/folders.js';
import { hasRedis, redisServer, withoutRedis } from './support/services.js';

const minutes = 60_000;
const folder = temporaryFolder();

async function* tasks(count: number) {
  for (let i = 0; i < count; i++) yield { key: `q${i}`, data: { value: i } };
}

const variantRows = (out: string): object[] =>
  (JSON.parse(readFileSync(join(out, 'tables/variants.json'), 'utf8')) as { rows: object[] }).rows;

const squares = (count: number) => Array.from({ length: count }, (_, i) => i * i);

describe.skipIf(!hasRedis)(hasRedis ? 'A fleet' : `A fleet ${withoutRedis}`, () => {
  const redis = redisServer(16_399);
  const children: ChildProcess[] = [];
  beforeAll(async () => {
    await redis.start();
  }, minutes);
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL');
    await redis.stop();
  });

  const address = (queue: string) => parseFleetAddress(`${redis.url}?queue=${queue}`);
  const quick = { lockMs: 1500, concurrency: 2 };
  const collect = async (queue: string, count: number, options = {}) => {
    const results: number[] = [];
    const all = distribute<{ value: number }, { square: number }>(address(queue), tasks(count), {
      run: 'a'.repeat(40),
      read: (result) => {
        const { square } = result as { square: unknown };
        if (typeof square !== 'number') throw new Error('no square');
        return { square };
      },
      pollMs: 20,
      ...options,
    });
    for await (const { result } of all) results.push(result.square);
    return results;
  };
  const work = (
    queue: string,
    signal: AbortSignal,
    perform = async ({ value }: { value: number }) => ({ square: value * value }),
  ) =>
    workForFleet(
      address(queue),
      {
        read: (data) => {
          if (typeof (data as { value?: unknown } | null)?.value !== 'number') throw new Error('no task');
          return data as { value: number };
        },
        prepare: async () => undefined,
        perform,
      },
      { ...quick, signal },
    );

  it(
    'gives results in the order of the tasks, whoever does them, and leaves nothing behind',
    async () => {
      const stop = new AbortController();
      const workers = [work('order', stop.signal), work('order', stop.signal)];
      expect(await collect('order', 40, { ahead: 7 })).toEqual(squares(40));
      stop.abort();
      await Promise.all(workers);
      expect(await fleetStatus(address('order'))).toMatchObject({
        waiting: 0,
        active: 0,
        completed: 0,
        failed: [],
      });
    },
    minutes,
  );

  it(
    'tries a task again that failed, and sets one aside that keeps failing',
    async () => {
      const tries = new Map<number, number>();
      const stop = new AbortController();
      const worker = work('failing', stop.signal, async ({ value }) => {
        tries.set(value, (tries.get(value) ?? 0) + 1);
        if (value === 2 || (value === 1 && tries.get(1) === 1)) throw new Error('a stone in the way');
        return { square: value * value };
      });
      await expect(collect('failing', 4, { attempts: 2 })).rejects.toMatchObject({
        code: 'failure',
        message: expect.stringMatching(
          /Query q2 failed on the fleet \(2 attempts: a stone in the way\); the rest is done/,
        ),
      });
      expect([tries.get(0), tries.get(1), tries.get(2), tries.get(3)]).toEqual([1, 2, 2, 1]);
      expect((await fleetStatus(address('failing'))).failed).toMatchObject([{ key: 'q2', attempts: 2 }]);
      stop.abort();
      await worker;
    },
    minutes,
  );

  it.each<[string, unknown]>([
    ['null', null],
    ['a text', 'a'],
    ['a list', [null]],
    ['a field of another type', { square: '4' }],
    ['nothing', undefined],
    ['something huge', { square: 4, more: 'a'.repeat(2_000_000) }],
  ])(
    'names a task whose result is %s, finishes the others, and has it done anew',
    async (kind, wrong) => {
      const queue = `wrong-${kind.replaceAll(' ', '-')}`;
      const stop = new AbortController();
      let isMended = false;
      const worker = work(
        queue,
        stop.signal,
        async ({ value }) =>
          (value === 2 && !isMended ? wrong : { square: value * value }) as { square: number },
      );
      await expect(collect(queue, 4, { resultBytes: 1_000_000 })).rejects.toMatchObject({
        code: 'failure',
        message: expect.stringMatching(
          /^Query q2 failed .*its result (is wrong|has \d+ bytes).*the rest is done/,
        ),
      });
      isMended = true;
      expect(await collect(queue, 4)).toEqual(squares(4));
      stop.abort();
      await worker;
    },
    minutes,
  );

  it(
    'hands a task back when its worker leaves or is unfit, and others do it',
    async () => {
      const leave = new AbortController();
      const leaving = work('leaving', leave.signal, async () => {
        leave.abort();
        const { BertQeError } = await import('../../src/common/errors.js');
        throw new BertQeError('aborted', 'leaving');
      });
      const unfit = workForFleet(
        address('leaving'),
        { prepare: () => Promise.reject(new Error('another model')), perform: async () => ({ square: 0 }) },
        quick,
      );
      // Looked at from the start: which of the two fails first is not certain.
      const refused = expect(unfit).rejects.toThrow('another model');
      const results = collect('leaving', 5, { attempts: 1 });
      await leaving;
      await refused;
      const stop = new AbortController();
      const good = work('leaving', stop.signal);
      expect(await results).toEqual(squares(5));
      stop.abort();
      await good;
    },
    minutes,
  );

  it(
    'sets aside what is no task, and keeps its workers',
    async () => {
      const stop = new AbortController();
      const worker = work('no-task', stop.signal);
      const { queue, close } = await openQueue(address('no-task'));
      for (const wrong of [null, 7, 'a', { pairs: null }]) await queue.add('wrong', wrong);
      expect(await collect('no-task', 5)).toEqual(squares(5));
      await expect.poll(async () => (await fleetStatus(address('no-task'))).failed.length).toBe(4);
      await close();
      stop.abort();
      await worker;
    },
    minutes,
  );

  it(
    'finishes with every result once when the Redis server restarts in the middle',
    async () => {
      const stop = new AbortController();
      const done: number[] = [];
      const worker = work('restart', stop.signal, async ({ value }) => {
        await sleep(60);
        done.push(value);
        return { square: value * value };
      });
      const results = collect('restart', 30);
      while (done.length < 5) await sleep(20);
      await redis.kill();
      await sleep(300);
      await redis.start();
      expect(await results).toEqual(squares(30));
      stop.abort();
      await worker;
    },
    2 * minutes,
  );

  it(
    'makes the single-machine run byte for byte although a worker is killed',
    async () => {
      const demo = fileURLToPath(new URL('../../demo/', import.meta.url));
      const queries = readFileSync(join(demo, 'queries.jsonl'), 'utf8').split('\n').slice(0, 4).join('\n');
      writeFileSync(join(folder, 'queries.jsonl'), `${queries}\n`);
      const index = join(folder, 'index');
      await bertQe(['index', demo, '--out', index]);
      const command = [
        'rerank',
        '--index',
        index,
        '--queries',
        join(folder, 'queries.jsonl'),
        '--models',
        'TTT',
        '--depth',
        '15',
      ];
      const single = join(folder, 'single.run');
      expect(await bertQe([...command, '--out', single])).toMatchObject({ code: 0 });
      const fleet = `${redis.url}?queue=killed`;
      const startWorker = () => {
        const child = spawn(
          process.execPath,
          [launcher, 'fleet', 'work', '--redis', fleet, '--lock-seconds', '3'],
          {
            stdio: ['ignore', 'ignore', 'pipe'],
          },
        );
        children.push(child);
        return child;
      };
      const out = join(folder, 'fleet.run');
      const running = bertQe([...command, '--fleet', fleet, '--out', out]);
      const victim = startWorker();
      while ((await fleetStatus(parseFleetAddress(fleet))).active === 0) await sleep(50);
      victim.kill('SIGKILL');
      startWorker();
      expect(await running).toMatchObject({ code: 0 });
      expect(readFileSync(out, 'utf8')).toBe(readFileSync(single, 'utf8'));
      expect(readFileSync(out, 'utf8')).not.toBe('');
    },
    6 * minutes,
  );

  it(
    'runs an experiment as one machine does although a worker is killed',
    async () => {
      const small = smallExperiment(join(folder, 'experiment'), {
        models: { T: 'T' },
        variants: ['TTT'],
        depth: 10,
        ablations: undefined,
        grid: undefined,
        baselines: ['DPH+KL', 'T'],
      });
      const [single, out] = [join(folder, 'single'), join(folder, 'spread')];
      await bertQe(['experiment', small.file, '--out', single]);
      const queue = `${redis.url}?queue=experiment`;
      const work = () => {
        const options = ['fleet', 'work', '--redis', queue, '--lock-seconds', '3'];
        const child = spawn(process.execPath, [launcher, ...options], { stdio: 'ignore' });
        children.push(child);
        return child;
      };
      const running = bertQe(['experiment', small.file, '--out', out, '--fleet', queue]);
      const victim = work();
      while ((await fleetStatus(parseFleetAddress(queue))).active === 0) await sleep(50);
      victim.kill('SIGKILL');
      work();
      work();
      expect(await running).toMatchObject({ code: 0 });
      // Batches differ, and with them the last digits of scores; values of tables do not.
      const rows = variantRows(single).map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([name, value]) => [
            name,
            typeof value === 'number' ? (expect.closeTo(value, 4) as unknown) : value,
          ]),
        ),
      );
      expect(variantRows(out)).toEqual(rows);
      expect(rows).toHaveLength(2);
    },
    6 * minutes,
  );
});
