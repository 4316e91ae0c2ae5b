import { homedir } from 'node:os';
import { join } from 'node:path';

/** The folder of everything that can be computed again: `BERT_QE_CACHE`, else `bert-qe` in the user's cache folder. */
export function cacheFolder(): string {
  const { BERT_QE_CACHE: own, XDG_CACHE_HOME: shared } = process.env;
  if (own) return own;
  return join(shared || join(homedir(), '.cache'), 'bert-qe');
}
