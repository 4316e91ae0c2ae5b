import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

it('the adapters are well typed against the frameworks, as these tests use them', async () => {
  const tsc = join(import.meta.dirname, '../../node_modules/typescript/bin/tsc');
  const { stdout } = await promisify(execFile)(process.execPath, [tsc, '-p', import.meta.dirname]).catch(
    (error: { stdout: string }) => error,
  );
  expect(stdout).toBe('');
});
