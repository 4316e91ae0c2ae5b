import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commands } from '../../src/cli/commands/index.js';
import { parseExperiment } from '../../src/experiment/index.js';
import { temporaryFolder } from '../support/folders.js';
import {
  commandsOf,
  documents,
  programsOf,
  readBlocks,
  runnable,
  type Block,
  type Program,
} from './blocks.js';
import { firstMissing } from './output.js';
import { World } from './world.js';

const root = join(import.meta.dirname, '../..');

/** Records of what was measured: their commands take hours, other programs or test collections, and say so in their text. */
const records = /^docs\/(benchmarks.*|fine-tuning|models|experiments\/.*)\.md$/;

const files = documents(root);
const blocks = new Map(files.map((file) => [file, readBlocks(root, file)]));
const isCode = ({ language, info }: Block) => runnable.has(language) && info !== 'declaration';
const code = [...blocks.values()].flat().filter(isCode);
const place = ({ file, line }: Block) => `${file}:${line}`;

describe('every block of the documentation', () => {
  test('that is code says in which language', () => {
    const unnamed = [...blocks.values()]
      .flat()
      .filter(
        ({ language, code }) =>
          !runnable.has(language) && /^(\$ )?(bert-qe|node|npm|npx|import) /m.test(code),
      );
    expect(unnamed.map(place)).toEqual([]);
  });

  test('that is not run has a reason', () => {
    const unreasoned = code.filter(({ marks }) => marks.get('not run') === '');
    expect(unreasoned.map(place)).toEqual([]);
  });

  test('names commands and options that exist', async () => {
    const wrong: string[] = [];
    for (const block of code.filter(({ language }) => language === 'sh')) {
      for (const [name, ...words] of commandsOf(block.code)) {
        const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
        const options = load ? Object.keys((await load()).options) : [];
        if (!load && name !== '--help') wrong.push(`${place(block)}: ${name}`);
        for (const word of words.filter((word) => word.startsWith('--') && word !== '--help')) {
          if (!options.includes(word.slice(2).split('=')[0])) wrong.push(`${place(block)}: ${name} ${word}`);
        }
      }
    }
    expect(wrong).toEqual([]);
  });
});

const programs = new Map(
  files
    .filter((file) => !records.test(file))
    .map(
      (file) => [file, programsOf(blocks.get(file)!.filter(({ info }) => info !== 'declaration'))] as const,
    )
    .filter(([, programs]) => programs.length > 0),
);

// Blocks of one document build on each other; documents do not.
describe.each([...programs])('%s', (_file, programs) => {
  const world = new World(root, temporaryFolder());

  test.each(programs)('$name', { timeout: 600_000 }, async (program) => {
    if (program.savedAs !== undefined) writeFileSync(join(world.folder, program.savedAs), program.code);
    if (program.language === 'json') JSON.parse(program.code);
    else if (program.language === 'yaml') checkExperiment(program);
    else await execute(world, program);
  });
});

test('TypeScript is well typed against the declarations of the package', { timeout: 600_000 }, async () => {
  const notRun = code
    .filter(({ marks }) => marks.has('not run'))
    .map((block) => ({ ...block, name: place(block) }));
  const typed = [...programs.values(), notRun].flat().filter(({ language }) => language === 'ts');
  expect(typed.length).toBeGreaterThan(5);
  expect(await new World(root, temporaryFolder()).typeErrors(typed)).toBe('');
});

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
