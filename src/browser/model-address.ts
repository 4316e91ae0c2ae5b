import { SIZE_FOLDERS, type SizeLetter } from '../bert/core.js';
import { usageError } from '../common/errors.js';
import type { Integrity } from './downloads.js';
import { web } from './web.js';

/** The hashes of the models that come with the package, by folder and file; the build puts them in (vite.config.ts). */
declare const SHIPPED_MODELS: Readonly<Record<string, Integrity>> | undefined;

/** The folder of the package's models, as the package lies on a server or a CDN. */
function shippedModels(): string {
  const here = import.meta.url;
  return new URL('../../models/', here).href;
}

/** A model's folder on a server. */
interface ModelAddress {
  /** Ends with a slash. */
  readonly place: string;
  /** The hashes of its files, where it is one of the package's. */
  readonly integrity?: Integrity | undefined;
}

/**
 * The address of a model: a letter or a name is a folder below `modelBase`, by default below the package's own models;
 * anything with a slash is the address of a folder, relative to the page's.
 */
export function modelAddress(model: string, modelBase?: string): ModelAddress {
  if (typeof model !== 'string' || model === '') {
    throw usageError(
      "A model is named by a letter (T, S), or by the address of its folder, as in { model: '/models/tiny/' }.",
    );
  }
  const page = web.location?.href;
  try {
    if (model.includes('/')) return { place: folder(new URL(model, page)) };
    const name = Object.hasOwn(SIZE_FOLDERS, model) ? SIZE_FOLDERS[model as SizeLetter] : model;
    if (modelBase !== undefined) {
      return { place: folder(new URL(name, folder(new URL(modelBase, page)))) };
    }
    const integrity = typeof SHIPPED_MODELS === 'undefined' ? undefined : SHIPPED_MODELS?.[name];
    return { place: folder(new URL(name, shippedModels())), integrity };
  } catch (error) {
    throw usageError(`${modelBase ?? ''} ${model}: not the address of a model's folder.`, error);
  }
}

function folder({ href }: URL): string {
  return href.endsWith('/') ? href : `${href}/`;
}
