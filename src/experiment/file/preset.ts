import { AS_PUBLISHED } from '../../expansion/index.js';
import { PUBLISHED_TRAINING } from '../../training/index.js';

/** The decimals that trec_eval prints, by which the authors' code compares settings. */
const comparedDecimals = 4;

type Fields = Readonly<Record<string, unknown>>;

/** Settings of the authors' code that differ from the defaults of an experiment file, by section. */
const asPublished: Readonly<Record<string, Fields>> = {
  method: { chunkPieces: AS_PUBLISHED.chunkPieces },
  tuning: { decimals: comparedDecimals },
};

/**
 * The content of an experiment file with `preset: as-published` as if it had written out the settings of the preset. What
 * the file says itself precedes them.
 */
export function withPreset(content: unknown): unknown {
  if (!isFields(content) || content.preset !== 'as-published') return content;
  const sections = Object.entries(asPublished).map(([name, fields]) => [
    name,
    extended(fields, content[name]),
  ]);
  const { training, collection, collections } = content;
  return {
    ...content,
    ...Object.fromEntries(sections),
    ...(isFields(training) && { training: { ...PUBLISHED_TRAINING, ...training } }),
    ...(isFields(collection) && { collection: withElements(collection) }),
    ...(isFields(collections) && {
      collections: Object.fromEntries(
        Object.entries(collections).map(([name, one]) => [name, isFields(one) ? withElements(one) : one]),
      ),
    }),
  };
}

/** Terrier's and Anserini's runs are those of the elements that each of them reads. */
function withElements(collection: Fields): Fields {
  return collection.format === 'trec' ? { elements: 'of-analyzer', ...collection } : collection;
}

function extended(fields: Fields, section: unknown): unknown {
  if (section === undefined) return fields;
  return isFields(section) ? { ...fields, ...section } : section;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
