import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type * as Runtime from 'onnxruntime-node';
import { failureError } from '../../common/errors.js';

/** The package of onnxruntime. It is loaded in workers only; the main thread asks for its files. */

const require = createRequire(import.meta.url);

/** The version of the runtime, which its provider libraries must share. */
export function runtimeVersion(): string {
  return (require(manifestFile()) as { version: string }).version;
}

/** The folder of the runtime's libraries. */
export function runtimeFolder(): string {
  return join(dirname(manifestFile()), 'bin', 'napi-v6', process.platform, process.arch);
}

/** Throws, with the remedy, if the runtime is not installed or has no library for this machine. */
export function requireRuntime(): void {
  const file = join(runtimeFolder(), 'onnxruntime_binding.node');
  if (existsSync(file)) return;
  throw failureError(
    `onnxruntime ${runtimeVersion()} has no library for ${process.platform} on ${process.arch} (${file} is missing).`,
  );
}

/** The names of the execution providers that the runtime was built with. */
export function builtInProviders(): string[] {
  requireRuntime();
  const { listSupportedBackends } = require('onnxruntime-node') as typeof Runtime;
  return listSupportedBackends().map(({ name }) => name);
}

function manifestFile(): string {
  try {
    return require.resolve('onnxruntime-node/package.json');
  } catch (error) {
    throw failureError(
      'The package onnxruntime-node, which runs the models, is not installed; run: npm install --ignore-scripts onnxruntime-node',
      error,
    );
  }
}
