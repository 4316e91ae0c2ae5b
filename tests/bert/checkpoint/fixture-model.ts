import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type ModelConfig, parseModelConfig } from '../../../src/bert/config.js';
import { elementCount } from '../../../src/bert/checkpoint/dtype.js';
import { bertTensorShapes } from '../../../src/bert/checkpoint/index.js';

const root = fileURLToPath(new URL('../../fixtures/bert/checkpoints/', import.meta.url));

/** A file written by scripts/fixtures/bert/checkpoints.py. */
export function fixture(path: string): string {
  return root + path;
}

export const fixtureConfig: ModelConfig = parseModelConfig(readFileSync(fixture('config.json'), 'utf8'));

/** The values that every fixture holds, by the rule of the script that made them. */
export function fixtureValues(name: string, count: number): Float32Array {
  const start = Buffer.from(name).reduce((sum, code) => sum + code, 0);
  return Float32Array.from({ length: count }, (_, i) => (((start + 37 * i) % 129) - 64) / 64);
}

export function fixtureModel(config: ModelConfig = fixtureConfig): Map<string, Float32Array> {
  return new Map(
    Array.from(bertTensorShapes(config), ([name, shape]) => [
      name,
      fixtureValues(name, elementCount(shape)!),
    ]),
  );
}
