import { pathToFileURL } from 'node:url';
import { builtFile } from '../../common/package-files.js';

/**
 * The built file of a worker, given by its path in this folder's parent. Node 20 cannot load TypeScript in a worker, so
 * code that runs from `src` (tests) uses the build too.
 */
export function workerUrl(path: `${string}.js`): URL {
  return pathToFileURL(builtFile(`bert/${path}`));
}
