import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** The versions of the software that made a result. */
export function versions(): Record<string, string> {
  const own = new URL('../../package.json', import.meta.url);
  const { version } = JSON.parse(readFileSync(own, 'utf8')) as { version: string };
  const runtime = createRequire(import.meta.url)('onnxruntime-node/package.json') as { version: string };
  return { 'bert-qe': version, 'onnxruntime-node': runtime.version, node: process.versions.node };
}
