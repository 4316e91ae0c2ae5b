import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { flopsCommand } from '../../src/cli/commands/flops.js';
import { parseArguments } from '../../src/cli/options.js';
import { temporaryFolder } from '../support/folders.js';

const folder = temporaryFolder();

async function flops(...args: string[]): Promise<string> {
  const { options, positionals } = parseArguments(args, flopsCommand.options);
  const stdout = new PassThrough().setEncoding('utf8');
  const io = { stdout, stderr: new PassThrough(), signal: new AbortController().signal };
  await flopsCommand.run({ options: options as never, positionals, io });
  return (stdout.read() as string | null) ?? '';
}

const phase = (pairs: number) => ({ pairs, exhaustivePairs: 100, seconds: 2, tokens: 1000, flops: 5e12 });

describe('flops', () => {
  test("prints the paper's table, its own figures beside the computed ones", async () => {
    const lines = (await flops()).trimEnd().split('\n');
    expect(lines.length).toBe(18);
    expect(lines[1]).toMatch(/^BERT-Large +232\.6 +- +- +232\.6 +1\.00 +1\.00$/);
    expect(lines[3]).toMatch(/^BERT-QE-LLL +232\.6 +44\.19 +2326 +2603 +11\.19 +11\.19$/);
    // The fitted number stands where its figures do, and the reason where one of them is off.
    expect(lines[16]).toMatch(/^Counted: .* 71 operations .* fitted to the paper's 232\.6 T/);
    expect(lines[17]).toMatch(/^LML is \.01 off: .* no less than 11\.015/);
    expect(lines[8]).toMatch(/^BERT-QE-LMT +232\.6 +3\.693 +3\.090 +239\.4 +1\.03 +1\.03$/);
  });

  test('takes variants and counts; figures of the paper stand only beside its own counts', async () => {
    const [variant] = JSON.parse(
      await flops('lst', '--kd', '5', '--kc', '20', '--chunk-words', '20', '--depth', '50', '--json'),
    );
    expect(variant).toMatchObject({
      variant: 'BERT-QE-LST',
      phaseOne: { size: 'L', sequences: 50 },
      // A passage of 100 words has 9 chunks of 20.
      phaseTwo: { size: 'S', sequences: 45 },
      phaseThree: { size: 'T', sequences: 1000 },
    });
    expect(variant.published).toBeUndefined();
    expect(await flops('LMT', '--kc', '5')).not.toMatch(/ paper$/m);
  });

  test('averages what rerank --explain says was run', async () => {
    const line = (pairs: number) => ({
      id: 'x',
      cost: { ...phase(4 * pairs), ...Object.fromEntries(names.map((name) => [name, phase(pairs)])) },
    });
    const names = ['bestPassage', 'phaseOne', 'phaseTwo', 'phaseThree'];
    const file = join(folder, 'why.jsonl');
    writeFileSync(file, `${JSON.stringify(line(10))}\n${JSON.stringify(line(30))}\n`);
    const table = await flops('--explained', file);
    expect(table).toMatch(/^Mean of 2 queries:\n/);
    expect(table).toMatch(/\nphase three +20 +100 +1,000 +5\.000 +2\.00\n/);
    expect(table).toMatch(/\nquery +80 +100 +1,000 +5\.000 +2\.00\n$/);
    expect(JSON.parse(await flops('--explained', file, '--json'))).toMatchObject({
      queries: 2,
      cost: { pairs: 80, phaseOne: { pairs: 20 } },
    });
  });

  test('says where a file is not what it should be', async () => {
    const file = join(folder, 'bad.jsonl');
    writeFileSync(file, '\n{"id":"1"}\n');
    await expect(flops('--explained', file)).rejects.toThrow(/bad\.jsonl:2: the line holds no cost/);
    writeFileSync(file, 'x');
    await expect(flops('--explained', file)).rejects.toMatchObject({ code: 'input' });
    writeFileSync(file, '');
    await expect(flops('--explained', file)).rejects.toThrow(/empty/);
    await expect(flops('LMT', '--explained', file)).rejects.toMatchObject({ code: 'usage' });
    await expect(flops('LXT')).rejects.toMatchObject({ code: 'usage' });
  });
});
