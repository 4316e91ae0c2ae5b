import { describe, expect, it } from 'vitest';
import { KeptOpen } from '../../src/runs/kept-open.js';

function opener() {
  const events: string[] = [];
  const open = (key: string) => async () => {
    events.push(`open ${key}`);
    return { key, close: async () => void events.push(`close ${key}`) };
  };
  return { events, open };
}

describe('things kept open', () => {
  it('are opened once, and closed when others take their place', async () => {
    const { events, open } = opener();
    const kept = new KeptOpen<{ key: string; close(): Promise<void> }>(2);
    for (const key of ['a', 'b', 'a', 'c', 'a']) {
      expect((await kept.get(key, open(key))).key).toBe(key);
    }
    expect(events).toEqual(['open a', 'open b', 'close b', 'open c']);
    await kept.close();
    expect(events.slice(4).sort()).toEqual(['close a', 'close c']);
  });

  it('are opened once where two ask at a time', async () => {
    const { events, open } = opener();
    const kept = new KeptOpen<{ key: string; close(): Promise<void> }>(1);
    await Promise.all([kept.get('a', open('a')), kept.get('a', open('a'))]);
    expect(events).toEqual(['open a']);
  });

  it('are opened anew after a failure', async () => {
    const { events, open } = opener();
    const kept = new KeptOpen<{ key: string; close(): Promise<void> }>(1);
    await expect(kept.get('a', () => Promise.reject(new Error('gone')))).rejects.toThrow('gone');
    await kept.get('a', open('a'));
    expect(events).toEqual(['open a']);
  });
});
