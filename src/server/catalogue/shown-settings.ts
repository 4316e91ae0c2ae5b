import { omitUndefined } from '../../common/omit-undefined.js';
import type { Settings } from '../../expansion/index.js';

/** The settings under the names that requests use. */
export function shownSettings({
  alpha,
  beta,
  kd,
  kc,
  chunk,
  passage,
  passageChoice,
  phaseOneDepth,
  expansionDepth,
  chunkSource,
}: Settings) {
  const [chunkWords, passageWords] = [chunk.length, passage.length];
  return {
    alpha,
    beta,
    kd,
    kc,
    chunkWords,
    passageWords,
    passageChoice,
    ...omitUndefined({ phaseOneDepth, expansionDepth }),
    chunkSource,
  };
}
