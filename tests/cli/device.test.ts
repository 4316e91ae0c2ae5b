import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bertQe } from '../support/cli.js';
import { temporaryFolder } from '../support/folders.js';

interface State {
  readonly device: string;
  readonly isUsable: boolean;
  readonly detail: string;
}

const folder = temporaryFolder();
const listed = JSON.parse((await bertQe(['device', 'list', '--json'])).stdout) as State[];
const cuda = listed.find(({ device }) => device === 'cuda')!;

describe('bert-qe device', () => {
  it('lists every device, and what it is or why it cannot be used', async () => {
    expect(listed.map(({ device }) => device)).toEqual(['cpu', 'webgpu', 'cuda']);
    expect(listed[0].isUsable).toBe(true);
    for (const { detail } of listed) expect(detail).toMatch(/^.+$/);
    const { code, stdout } = await bertQe(['device', 'list']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^cpu {5}yes {2}.+\nwebgpu {2}(?:yes|no ) {2}.+\ncuda {4}(?:yes|no ) {2}.+\n$/);
  });

  it('refuses actions and devices that it does not know', async () => {
    expect(await bertQe(['device', 'lists'])).toMatchObject({
      code: 2,
      stderr: 'bert-qe: device cannot "lists"; did you mean "list"?\n',
    });
    expect(await bertQe(['device', 'install', 'webgpu'])).toMatchObject({
      code: 2,
      stderr: 'bert-qe: device install takes "cuda", not "webgpu".\n',
    });
    const missing = await bertQe(['device', 'install', 'cuda', join(folder, 'no.whl')]);
    expect(missing.code).toBe(2);
    expect(missing.stderr).toMatch(/^bert-qe: .*no\.whl.*\n$/);
  });

  it.skipIf(cuda.isUsable)('tells why a model cannot run on CUDA, in one line', async () => {
    const pairs = join(folder, 'pairs.jsonl');
    writeFileSync(pairs, '{"a":"bees","b":"flowers"}\n');
    const { code, stderr } = await bertQe(['score', '--model', 'T', '--device', 'cuda', '--pairs', pairs]);
    expect(code).toBe(2);
    expect(stderr).toBe(`bert-qe: CUDA cannot be used here: ${cuda.detail}.\n`);
  });
});
