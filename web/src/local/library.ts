import type * as library from '../../../src/browser/index.js';

type Library = typeof library;
export type { BertScorer, InputDocument, MemoryIndex } from '../../../src/browser/index.js';

/** The address of the site, whichever of its pages this is. */
export const site = new URL(document.documentElement.dataset.site ?? '.', document.baseURI).href;

let loaded: Promise<Library> | undefined;

/** The package itself, as `bert-qe/browser` has it. */
export function loadLibrary(): Promise<Library> {
  loaded ??= import(/* @vite-ignore */ new URL('browser/index.js', site).href) as Promise<Library>;
  return loaded;
}

/** A file of the site. */
export async function fetchSite(path: string): Promise<Response> {
  const answer = await fetch(new URL(path, site));
  if (!answer.ok) throw new Error(`${path} of this site cannot be read (status ${answer.status}).`);
  return answer;
}
