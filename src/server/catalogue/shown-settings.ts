import type { Settings } from '../../expansion/index.js';

/** The settings under the names that requests use. */
export function shownSettings({ alpha, beta, kd, kc, chunk, passage, chunkSource }: Settings) {
  return { alpha, beta, kd, kc, chunkWords: chunk.length, passageWords: passage.length, chunkSource };
}
