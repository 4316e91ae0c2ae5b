/**
 * The compiled file of a worker, given by its path in this folder's parent. Node 20 cannot load TypeScript in a worker,
 * so code that runs from `src` (tests) uses the build.
 */
export function workerUrl(path: `${string}.js`): URL {
  const root = import.meta.url.endsWith('.ts') ? '../../../dist/bert/' : '../';
  return new URL(root + path, import.meta.url);
}
