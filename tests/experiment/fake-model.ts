import { existsSync } from 'node:fs';
import type { TextPair } from '../../src/bert/index.js';
import type { OpenModel } from '../../src/experiment/index.js';

/** Words that both texts have, against the words of the first: enough to rank by, and cheap. */
export function overlap({ a, b }: TextPair, salt: string): number {
  const wanted = new Set(a.toLowerCase().match(/\w+/g) ?? []);
  const found = new Set(b.toLowerCase().match(/\w+/g) ?? []);
  const shared = [...wanted].filter((word) => found.has(word)).length;
  // Models of different names disagree a little.
  const own = (salt.length % 7) / 100;
  return Math.fround(Math.min(1, 0.05 + own + (0.9 * shared) / Math.max(1, wanted.size)));
}

/** Counts what every model was asked; `delay` (milliseconds a call) leaves time to be killed in. */
export function fakeModels(delay = 0): { open: OpenModel; asked: Map<string, number>; opened: string[] } {
  const asked = new Map<string, number>();
  const opened: string[] = [];
  const open: OpenModel = async (folder) => {
    if (!existsSync(folder)) throw new Error(`no ${folder}`);
    opened.push(folder);
    return {
      async score(pairs, options) {
        if (delay > 0) await new Promise((done) => setTimeout(done, delay));
        asked.set(folder, (asked.get(folder) ?? 0) + pairs.length);
        options?.onProgress?.(pairs.length, pairs.length);
        return Float32Array.from(pairs, (pair) => overlap(pair, folder));
      },
      close: async () => undefined,
    };
  };
  return { open, asked, opened };
}
