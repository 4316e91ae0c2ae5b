import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** The versions of the software that made a result. */
export function versions(): Record<string, string> {
  const own = new URL('../../package.json', import.meta.url);
  const { version } = JSON.parse(readFileSync(own, 'utf8')) as { version: string };
  return { 'bert-qe': version, ...runtimeVersion(), node: process.versions.node };
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
