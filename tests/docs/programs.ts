import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseExperiment } from '../../src/experiment/index.js';
import { temporaryFolder } from '../support/folders.js';
import { hasShell } from '../support/platform.js';
import { documents, programsOf, readBlocks, type Program } from './blocks.js';
import { firstMissing } from './output.js';
import { World, type Installation } from './world.js';

export const root = join(import.meta.dirname, '../..');

/** Records of what was measured: their commands take hours, other programs or test collections, and say so in their text. */
const records = /^docs\/(benchmarks.*|fine-tuning|models|experiments\/.*)\.md$/;

/** The pages of the slow suite: their programs train models, or make a whole study of the demo. */
export const slowPages: readonly string[] = [
  'docs/training.md',
  'docs/guide/researcher.md',
  'docs/server.md',
];

/** The programs of every page that has some. */
export const pages: ReadonlyMap<string, readonly Program[]> = new Map(
  documents(root)
    .filter((file) => !records.test(file))
    .map((file) => {
      const blocks = readBlocks(root, file).filter(({ info }) => info !== 'declaration');
      return [file, programsOf(blocks)] as const;
    })
    .filter(([, programs]) => programs.length > 0),
);

/** Defines a test for every program of a page. They run in order in one folder, since they build on each other. */
export function testPage(file: string, installation: () => Installation): void {
  describe(file, () => {
    let world: World | undefined;
    const folder = temporaryFolder();

    // Without bash, no commands can be run, and no programs that build on them.
    const programs = pages.get(file)!;
    const needsShell = programs.some(({ language }) => language === 'sh');

    test.skipIf(needsShell && !hasShell).each(programs)('$name', async (program) => {
      world ??= new World(installation(), folder);
      if (program.savedAs !== undefined) writeFileSync(join(folder, program.savedAs), program.code);
      if (program.language === 'json') JSON.parse(program.code);
      else if (program.language === 'yaml') checkExperiment(program);
      else await execute(world, program);
    });
  });
}

/** An experiment file, or fields of one. */
function checkExperiment({ code, name }: Program): void {
  const required: Record<string, string> = {
    name: 'name: x',
    collection: 'collection: { documents: path }',
    folds: 'folds: { roundRobin: 5 }',
    variants: 'variants: [TTT]',
  };
  const missing = Object.keys(required).filter((field) => !new RegExp(`^${field}:`, 'm').test(code));
  parseExperiment([...missing.map((field) => required[field]), code].join('\n'), name);
}

async function execute(world: World, program: Program): Promise<void> {
  const { code, stdout, stderr } = await world.run(program);
  expect(code, `${program.name} failed:\n${stdout}${stderr}`).toBe(0);
  const missing = firstMissing(program.output, stdout);
  expect(missing, `${program.name} does not print this line; it prints:\n${stdout}`).toBeUndefined();
}
