import { isJsonObject } from '../../common/json.js';
import { omitUndefined } from '../../common/omit-undefined.js';
import { AS_PUBLISHED } from '../../expansion/index.js';
import { PUBLISHED_TRAINING } from '../../training/index.js';

/** The decimals that trec_eval prints, by which the authors' code compares settings. */
const comparedDecimals = 4;

/**
 * The content of an experiment file with `preset: as-published` as if it had written out the settings of the authors'
 * code that differ from the defaults. What the file says itself precedes them.
 */
export function withPreset(content: unknown): unknown {
  if (!isJsonObject(content) || content.preset !== 'as-published') return content;
  const { method = {}, tuning = {}, training, collection, collections } = content;
  return {
    ...content,
    method: completed(method, { chunkPieces: AS_PUBLISHED.chunkPieces }),
    tuning: completed(tuning, { decimals: comparedDecimals }),
    ...omitUndefined({
      training: completed(training, PUBLISHED_TRAINING),
      collection: withElements(collection),
      collections: isJsonObject(collections)
        ? Object.fromEntries(Object.entries(collections).map(([name, one]) => [name, withElements(one)]))
        : collections,
    }),
  };
}

/** Terrier's and Anserini's runs are those of the elements that each of them reads. */
function withElements(collection: unknown): unknown {
  const isTrec = isJsonObject(collection) && collection.format === 'trec';
  return isTrec ? completed(collection, { elements: 'of-analyzer' }) : collection;
}

/** A section with the settings that it leaves open. The schema refuses what is no section. */
function completed(section: unknown, settings: object): unknown {
  return isJsonObject(section) ? { ...settings, ...section } : section;
}
