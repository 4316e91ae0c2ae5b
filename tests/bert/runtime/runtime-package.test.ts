import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const entries = ['index', 'remote/index', 'server/index', 'cli/main'];

test.each(entries)('%s does not load the runtime: only workers do', async (entry) => {
  const file = join(import.meta.dirname, '../../../dist', `${entry}.js`);
  const program = `
    require(${JSON.stringify(file)});
    process.report.excludeNetwork = true;
    console.log(process.report.getReport().sharedObjects.join('\\n'));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--no-warnings', '--eval', program]);
  expect(stdout).not.toBe('');
  expect(stdout).not.toContain('onnxruntime');
});
