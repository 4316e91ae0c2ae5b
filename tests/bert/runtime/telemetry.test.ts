import { describe, expect, test } from 'vitest';
import { programs, quietRun } from './quiet-run.js';

const silent = { code: 0, stderr: '', files: [] };

describe('the runtime leaves no files in the home folder', () => {
  test.each(Object.entries(programs))('%s', async (_, program) => {
    expect(await quietRun(program)).toEqual(silent);
  });

  test('the command, whose trial of a device is a process of its own', async () => {
    expect(await quietRun(['device', 'list'])).toMatchObject(silent);
  });

  test.runIf(process.platform === 'linux')('unless its telemetry is asked for', async () => {
    const { files } = await quietRun(programs.library, { env: { BERT_QE_RUNTIME_TELEMETRY: '1' } });
    expect(files).toContainEqual(expect.stringContaining('.onnxruntime'));
  });
});
