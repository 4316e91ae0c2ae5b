import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InferenceSession } from 'onnxruntime-node';
import { afterAll, describe, expect, it } from 'vitest';
import { bertGraph } from '../../../src/bert/graph/index.js';
import { writeModel } from '../../../src/bert/onnx/index.js';
import { WIDEN_IN_RUNS } from '../../../src/bert/runtime/index.js';
import { seededLogits } from './run-graph.js';
import { seededCase, seededWeights } from './seeded-model.js';

const folder = mkdtempSync(join(tmpdir(), 'bert-qe-narrow-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Operators in the order in which onnxruntime ran them. */
function executed(): string[] {
  const file = readdirSync(folder).find((name) => name.startsWith('profile'))!;
  const events = JSON.parse(readFileSync(join(folder, file), 'utf8')) as {
    cat: string;
    name: string;
    args?: { op_name?: string };
  }[];
  return events.flatMap(({ cat, name, args }) =>
    cat === 'Node' && name.endsWith('_kernel_time') && args?.op_name ? [args.op_name] : [],
  );
}

describe('weights kept in 16 bits', async () => {
  const { config } = seededCase('T');
  const path = join(folder, 'model.onnx');
  const options = { kept: 'float16', attention: 'plain' } as const;
  await writeModel(bertGraph(seededWeights(config), options), path);

  it('stay so when they are loaded', async () => {
    const loaded = join(folder, 'loaded.onnx');
    // onnxruntime writes the weights that it changed into this file; the others stay where they were.
    const changedBytes = async (extra: Record<string, unknown>) => {
      const options = { optimizedModelFilePath: loaded, logSeverityLevel: 3 } as const;
      await (await InferenceSession.create(path, { ...options, extra })).release();
      return statSync(loaded).size;
    };
    const matrices = 4 * config.layers * 12 * config.hidden ** 2;
    expect(await changedBytes({})).toBeGreaterThan(matrices / 2);
    expect(await changedBytes(WIDEN_IN_RUNS)).toBeLessThan(matrices / 10);
  });

  it('are widened one at a time, just before they are used', async () => {
    const session = await InferenceSession.create(path, {
      logSeverityLevel: 3,
      extra: WIDEN_IN_RUNS,
      enableProfiling: true,
      profileFilePrefix: join(folder, 'profile'),
    });
    await seededLogits(session, config, 17);
    session.endProfiling();
    await session.release();
    const operators = executed();
    expect(operators.filter((op) => op === 'Cast').length).toBeGreaterThan(6 * config.layers);
    expect(operators.join(' ')).not.toContain('Cast Cast');
  });
});
