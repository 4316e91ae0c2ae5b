import { existsSync, readdirSync } from 'node:fs';
import { getPriority } from 'node:os';
import { describe, expect, it, onTestFinished } from 'vitest';
import { BertScorer, type ScorerOptions } from '../../../src/bert/scorer/bert-scorer.js';

/** The number of threads of each priority in this process, those of the scorer included. */
function priorities(): Map<number, number> {
  const counts = new Map<number, number>();
  for (const thread of readdirSync('/proc/self/task')) {
    // One may have ended since.
    if (!existsSync(`/proc/self/task/${thread}`)) continue;
    const priority = getPriority(Number(thread));
    counts.set(priority, (counts.get(priority) ?? 0) + 1);
  }
  return counts;
}

async function load(options: Partial<ScorerOptions>): Promise<BertScorer> {
  const scorer = await BertScorer.load({ model: 'T', workers: 2, threads: 1, ...options });
  onTestFinished(() => scorer.close());
  return scorer;
}

describe.skipIf(process.platform !== 'linux')('the priority of scoring threads', () => {
  it('is that of the process unless something else is asked for', async () => {
    const before = new Set(priorities().keys());
    await load({});
    expect(new Set(priorities().keys())).toEqual(before);
  });

  it('is so many steps nicer as the caller says, and the caller’s own stays', async () => {
    const own = getPriority();
    const nicer = Math.min(19, own + 3);
    const before = priorities().get(nicer) ?? 0;
    const scorer = await load({ niceness: 3 });
    expect((priorities().get(nicer) ?? 0) - before).toBeGreaterThanOrEqual(2);
    expect(getPriority()).toBe(own);
    expect([...(await scorer.score([{ a: 'a bridge', b: 'a bridge sways' }]))]).toHaveLength(1);
  });

  it('covers the threads inside a session', async () => {
    const nicer = Math.min(19, getPriority() + 4);
    const before = priorities().get(nicer) ?? 0;
    await load({ niceness: 4, workers: 1, threads: 3 });
    expect((priorities().get(nicer) ?? 0) - before).toBeGreaterThanOrEqual(3);
  });

  it('stops at the nicest there is', async () => {
    const scorer = await load({ niceness: 100 });
    expect(priorities().has(19)).toBe(true);
    expect([...(await scorer.score([{ a: 'a bridge', b: 'a bridge sways' }]))]).toHaveLength(1);
  });
});
