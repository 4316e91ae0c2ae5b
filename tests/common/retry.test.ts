import { describe, expect, it, vi } from 'vitest';
import { BertQeError } from '../../src/common/errors.js';
import { isTransientStatus, parseRetryAfter, retry, TransientFailure } from '../../src/common/retry.js';

/** The pauses so far; none is longer than a millisecond here, unless it is to be cut short. */
const pauses: number[] = [];
vi.mock('../../src/common/pause.js', async (importOriginal) => {
  const original = await importOriginal<typeof import('../../src/common/pause.js')>();
  const pause = (ms: number, signal?: AbortSignal): Promise<void> => {
    pauses.push(ms);
    return original.pause(signal ? ms : 1, signal);
  };
  return { ...original, pause };
});

const quick = { what: 'the hub', policy: { attempts: 4, firstPauseMs: 1, longestPauseMs: 2 } };

/** An action that fails so many times, and counts its calls. */
function failing(times: number, failure: () => Error = () => new TransientFailure('down')) {
  const action = async (): Promise<string> => {
    if (++action.calls <= times) throw failure();
    return 'done';
  };
  action.calls = 0;
  return action;
}

describe('a retried action', () => {
  it('is repeated after transient failures until it succeeds', async () => {
    const action = failing(3);
    expect(await retry(action, quick)).toBe('done');
    expect(action.calls).toBe(4);
  });

  it('is given up after too many failures, which the error tells', async () => {
    const action = failing(9);
    const error = await retry(action, quick).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BertQeError);
    expect(error).toMatchObject({ code: 'failure', message: 'the hub: down (4 times); try again later.' });
    expect((error as Error).cause).toBeInstanceOf(TransientFailure);
    expect(action.calls).toBe(4);
    await expect(
      retry(failing(1), { ...quick, policy: { attempts: 1 }, advice: 'all is kept' }),
    ).rejects.toThrow(/^the hub: down; all is kept$/);
  });

  it('is not repeated after any other failure', async () => {
    const action = failing(1, () => new Error('a bug'));
    await expect(retry(action, quick)).rejects.toThrow('a bug');
    expect(action.calls).toBe(1);
  });

  it('may fail as often as it likes while every attempt brings something', async () => {
    const action = failing(20, () => new TransientFailure('lost', { progressed: true }));
    expect(await retry(action, quick)).toBe('done');
  });

  it('pauses twice as long each time, up to a limit, and longer where the server asks for it', async () => {
    const random = vi.spyOn(Math, 'random').mockReturnValue(1);
    pauses.length = 0;
    const asked = [undefined, undefined, undefined, 1000];
    const action = failing(4, () => new TransientFailure('busy', { retryAfterMs: asked.shift() }));
    const policy = { attempts: 9, firstPauseMs: 100, longestPauseMs: 300 };
    expect(await retry(action, { what: 'it', policy })).toBe('done');
    expect(pauses).toEqual([100, 200, 300, 1300]);
    random.mockRestore();
  });

  it('is given up at once where the server asks for more than five minutes', async () => {
    const action = failing(9, () => new TransientFailure('busy', { retryAfterMs: 301_000 }));
    await expect(retry(action, quick)).rejects.toThrow('the hub: busy; try again later.');
    expect(action.calls).toBe(1);
  });

  it('ends when the caller gives up, in a pause too', async () => {
    const controller = new AbortController();
    const action = failing(9, () => new TransientFailure('busy', { retryAfterMs: 60_000 }));
    const result = retry(action, { ...quick, signal: controller.signal });
    await vi.waitFor(() => expect(action.calls).toBe(1));
    controller.abort();
    await expect(result).rejects.toMatchObject({ code: 'aborted' });
    await expect(retry(action, { ...quick, signal: controller.signal })).rejects.toMatchObject({
      code: 'aborted',
    });
    expect(action.calls).toBe(1);
  });
});

it('repeats what a server may answer otherwise soon, and nothing that it refuses', () => {
  const statuses = [400, 401, 403, 404, 408, 418, 422, 425, 429, 500, 501, 502, 503, 504, 505, 520];
  expect(statuses.filter(isTransientStatus)).toEqual([408, 425, 429, 500, 502, 503, 504, 520]);
});

it('reads Retry-After as seconds or as a date', () => {
  const now = Date.parse('2024-01-01T00:00:00Z');
  expect(parseRetryAfter('7', now)).toBe(7000);
  expect(parseRetryAfter('Mon, 01 Jan 2024 00:00:30 GMT', now)).toBe(30_000);
  expect(parseRetryAfter('Sun, 31 Dec 2023 00:00:00 GMT', now)).toBe(0);
  expect(parseRetryAfter('soon', now)).toBeUndefined();
  expect(parseRetryAfter(null, now)).toBeUndefined();
});
