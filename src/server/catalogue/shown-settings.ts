import { omitUndefined } from '../../common/omit-undefined.js';
import type { Settings } from '../../expansion/index.js';

/** The settings under the names that requests use. */
export function shownSettings(settings: Settings) {
  const { alpha, beta, kd, kc, passageChoice, expansionDepth, chunkSource } = settings;
  const [chunkWords, passageWords] = [settings.chunk.length, settings.passage.length];
  const set = omitUndefined({ expansionDepth });
  return { alpha, beta, kd, kc, chunkWords, passageWords, passageChoice, ...set, chunkSource };
}
