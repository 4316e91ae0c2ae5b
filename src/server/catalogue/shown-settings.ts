import { omitUndefined } from '../../common/omit-undefined.js';
import type { Settings } from '../../expansion/index.js';

/** The settings under the names that requests use. */
export function shownSettings(settings: Settings) {
  const { alpha, beta, kd, kc, passageChoice, chunkSource } = settings;
  const [chunkWords, passageWords] = [settings.chunk.length, settings.passage.length];
  const { phaseOneDepth, expansionDepth } = settings;
  const set = omitUndefined({ phaseOneDepth, expansionDepth });
  return { alpha, beta, kd, kc, chunkWords, passageWords, passageChoice, ...set, chunkSource };
}
