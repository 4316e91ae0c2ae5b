import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the package, in which this file lies as a source or in a bundle. */
const root = packageFolder(dirname(fileURLToPath(import.meta.url)));

function packageFolder(folder: string): string {
  const parent = dirname(folder);
  return existsSync(join(folder, 'package.json')) || parent === folder ? folder : packageFolder(parent);
}

/** The demo collection: `corpus.jsonl`, `queries.jsonl` and `qrels.txt`. */
export const demoFolder = join(root, 'demo');
/** The models that come with the package. */
export const modelsFolder = join(root, 'models');
/** The built page of the server. */
export const pageFolder = builtFile('web');

export function builtFile(path: string): string {
  return join(root, 'dist', path);
}

export function packageVersion(): string {
  return (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }).version;
}

/** The versions of the software that made a result. */
export function versions(): Record<string, string> {
  return { 'bert-qe': packageVersion(), ...runtimeVersion(), node: process.versions.node };
}

/** The version of the runtime, where it is installed: models on other machines are used without it. */
function runtimeVersion(): Record<string, string> {
  const require = createRequire(import.meta.url);
  try {
    const { version } = require('onnxruntime-node/package.json') as { version: string };
    return { 'onnxruntime-node': version };
  } catch {
    return {};
  }
}
