import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cyclesOf, importsBelow, loadedBy, specifiersOf, type Import } from './imports.js';
import { core, forbidden, innerIndexes, layers, open, pageImports } from './layers.js';

const root = join(import.meta.dirname, '../..');
const source = join(root, 'src');

const imports = importsBelow(source);
const folders = readdirSync(source, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** The folder of src that a file is in; the package's own index.ts is in none. */
const folderOf = (file: string): string | undefined =>
  file.includes('/') ? file.slice(0, file.indexOf('/')) : undefined;
const layerOf = (folder: string): number => layers.findIndex((layer) => layer.includes(folder));
/** `ab`: the file a imports the file b. */
const edge = ([from, to]: string): Import => ({ from, to });
const text = ({ from, to }: Import): string => `${from} -> ${to}`;

/** The imports that lead from one folder of src into another. */
const between = imports.filter(({ from, to }) => folderOf(from) !== folderOf(to));

describe('imports, type imports included', () => {
  test('lead to files that exist', () => {
    expect(imports.filter(({ to }) => !existsSync(join(source, to))).map(text)).toEqual([]);
  });

  test('lead from a layer to an earlier one', () => {
    const wrong = between.filter(({ from, to }) => {
      const [importer, imported] = [folderOf(from), folderOf(to)];
      // The package's index.ts assembles: it may import every folder, and no folder may import it.
      if (importer === undefined) return false;
      if (imported === undefined) return true;
      return (
        layerOf(imported) >= layerOf(importer) ||
        forbidden.some((rule) => rule.from === importer && rule.to === imported)
      );
    });
    expect(wrong.map(text)).toEqual([]);
  });

  test("go through a folder's index.ts", () => {
    const wrong = between.filter(({ from, to }) => {
      const imported = folderOf(to);
      if (imported === undefined || open.includes(imported) || to === `${imported}/index.ts`) return false;
      return !innerIndexes.some((inner) => inner.index === to && inner.from === folderOf(from));
    });
    expect(wrong.map(text)).toEqual([]);
  });

  test('make no circle', () => {
    expect(cyclesOf(imports)).toEqual([]);
  });
});

/** Packages that run in browsers. */
const browserPackages = /^(?:@huggingface\/tokenizers|onnxruntime-web\/(?:wasm|webgpu))$/;

test('the core, with all that it loads, needs neither Node nor a native package', () => {
  const wrong: string[] = [];
  const seen = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    const code = readFileSync(join(source, file), 'utf8');
    for (const specifier of loadedBy(code)) {
      if (specifier.startsWith('.')) visit(join(dirname(file), specifier).replace(/\.js$/, '.ts'));
      else if (!browserPackages.test(specifier)) wrong.push(`${file} imports ${specifier}`);
    }
    const lines = code.split('\n').filter((line) => !/^\s*(?:\*|\/[/*])/.test(line));
    const global = /(?<![\w.])(?:Buffer|process|__dirname)\./.exec(lines.join('\n'))?.[0];
    if (global !== undefined) wrong.push(`${file} uses ${global}`);
  };
  core.forEach(visit);
  expect(wrong).toEqual([]);
  expect([...seen]).toContain('common/yield.ts');
});

test('the page imports the files of src that are meant for it', () => {
  const outside = importsBelow(join(root, 'web/src'))
    .filter(({ to }) => to.startsWith('../../src/'))
    .map(({ to }) => to.slice('../../src/'.length));
  expect([...new Set(outside)].sort()).toEqual(pageImports);
});

describe('the layers', () => {
  test('name every folder of src once, and no other', () => {
    expect(layers.flat().sort()).toEqual(folders.sort());
  });

  test('allow no inner index.ts that nobody uses', () => {
    const unused = innerIndexes.filter(
      ({ index, from }) => !between.some((found) => found.to === index && folderOf(found.from) === from),
    );
    expect(unused).toEqual([]);
  });

  test('are the folders that docs/design.md describes', () => {
    const design = readFileSync(join(root, 'docs/design.md'), 'utf8');
    const rows = [...design.matchAll(/^\| (.+?) \|/gm)].map(([, cell]) => cell).join('\n');
    expect(folders.filter((folder) => !new RegExp(`\`src/${folder}\\b`).test(rows))).toEqual([]);
  });
});

describe('reading imports', () => {
  test('finds those of values, of types, for effects, on demand, and re-exports', () => {
    const code = `
import a from './a.js';
import {
  b,
  type B,
} from '../b.js';
import type { C } from './c.js';
import './d.js';
export * from './e.js';
export type { F } from './f.js';
const g = await import('./g.js');
type H = import('./h.js').H;
import fs from 'node:fs';
/** import x from './not.js' */
// import x from './nor.js';
export const from = './neither.js';
`;
    expect(specifiersOf(code).sort()).toEqual(
      ['../b.js', ...['a', 'c', 'd', 'e', 'f', 'g', 'h'].map((name) => `./${name}.js`)].sort(),
    );
  });

  test('tells what is loaded from what is a type', () => {
    const code = `
import type { A } from './a.js';
import { type B } from './b.js';
import { type C, c } from './c.js';
import { open } from 'node:fs';
export type { D } from './d.js';
export { e } from './e.js';
const f = await import('./f.js');
`;
    expect(loadedBy(code)).toEqual(['./c.js', 'node:fs', './e.js', './f.js']);
  });

  test('finds circles', () => {
    expect(cyclesOf(['ab', 'bc', 'ca', 'cd', 'de', 'ed', 'ff', 'ag'].map(edge))).toEqual([
      ['a', 'b', 'c'],
      ['d', 'e'],
      ['f'],
    ]);
  });
});
