import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The folder of the demo collection: `corpus.jsonl`, `queries.jsonl` and `qrels.txt`. */
export const demoFolder = fileURLToPath(new URL('../../demo/', import.meta.url));

/** The version of this package. */
export function packageVersion(): string {
  const manifest = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
}
