import { describe, expect, test } from 'vitest';
import { commands } from '../../src/cli/commands/index.js';
import { temporaryFolder } from '../support/folders.js';
import { commandsOf, documents, readBlocks, runnable, type Block } from './blocks.js';
import { pages, root, slowPages, testPage } from './programs.js';
import { checkout, World } from './world.js';

const blocks = documents(root).flatMap((file) => readBlocks(root, file));
const code = blocks.filter(({ language, info }) => runnable.has(language) && info !== 'declaration');
const place = ({ file, line }: Block) => `${file}:${line}`;

describe('every block of the documentation', () => {
  test('that is code says in which language', () => {
    const unnamed = blocks.filter(
      ({ language, code }) => !runnable.has(language) && /^(\$ )?(bert-qe|node|npm|npx|import) /m.test(code),
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

for (const file of pages.keys()) if (!slowPages.includes(file)) testPage(file, () => checkout(root));

test('TypeScript is well typed against the declarations of the package', async () => {
  const notRun = code
    .filter(({ marks }) => marks.has('not run'))
    .map((block) => ({ ...block, name: place(block) }));
  const typed = [...pages.values(), notRun].flat().filter(({ language }) => language === 'ts');
  expect(typed.length).toBeGreaterThan(5);
  expect(await new World(checkout(root), temporaryFolder()).typeErrors(typed)).toBe('');
});
