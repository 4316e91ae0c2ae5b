import { readQueries, type Query } from '../collection/index.js';
import { BertQeError } from '../common/errors.js';

/** Exactly one of `--query` and `--queries`. */
export async function queriesFrom(text: string | undefined, file: string | undefined): Promise<Query[]> {
  if ((text === undefined) === (file === undefined)) {
    throw new BertQeError('usage', 'Give either --query TEXT or --queries FILE.');
  }
  if (file !== undefined) return readQueries(file);
  if (text!.trim() === '') throw new BertQeError('usage', '--query is empty; give it some words.');
  return [{ id: '1', text: text! }];
}
