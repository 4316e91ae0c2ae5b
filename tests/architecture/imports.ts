import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

/** An import of one file of the project by another; type imports, re-exports and `import()` included. */
export interface Import {
  readonly from: string;
  readonly to: string;
}

/** The TypeScript files below a folder, with forward slashes, relative to it. */
export function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();
}

/** All relative imports of the files below a folder, relative to it. */
export function importsBelow(folder: string): Import[] {
  return sourceFiles(folder).flatMap((from) =>
    specifiersOf(readFileSync(join(folder, from), 'utf8')).map((specifier) => {
      const path = join(dirname(from), specifier).split(sep).join('/').replace(/\.js$/, '');
      const ending = ['.ts', '.tsx'].find((ending) => existsSync(join(folder, path + ending)));
      return { from, to: path + (ending ?? '') };
    }),
  );
}

/** The relative specifiers that a module imports, in order, each once. */
export function specifiersOf(source: string): string[] {
  const code = source.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  const statements = [
    ...code.matchAll(/^(?:import|export)\b[^'"`;()=]*?\bfrom\s*'(\.[^']*)'/gm),
    ...code.matchAll(/^import\s*'(\.[^']*)'/gm),
    ...code.matchAll(/\bimport\(\s*'(\.[^']*)'\s*\)/g),
  ];
  return [...new Set(statements.map(([, specifier]) => specifier))];
}

/** The imports of a module when it runs, relative or not: type imports are left out. */
export function loadedBy(source: string): string[] {
  const code = source.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  const statements = [
    ...code.matchAll(/^(?:import|export)\b(?!\s+type\b)[^'"`;()=]*?\bfrom\s*'([^']*)'/gm),
    ...code.matchAll(/^import\s*'([^']*)'/gm),
    ...code.matchAll(/\bimport\(\s*'([^']*)'\s*\)/g),
  ].filter(([statement]) => {
    const names = /\{([^}]*)\}/
      .exec(statement)?.[1]
      .split(',')
      .map((name) => name.trim());
    return !names || names.some((name) => name !== '' && !name.startsWith('type '));
  });
  return [...new Set(statements.map(([, specifier]) => specifier))];
}

/** Groups of files that import one another in a circle, found as strongly connected components (Tarjan). */
export function cyclesOf(imports: readonly Import[]): string[][] {
  const targets = new Map<string, string[]>();
  for (const { from, to } of imports) targets.set(from, [...(targets.get(from) ?? []), to]);
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const cycles: string[][] = [];
  const visit = (file: string): void => {
    index.set(file, index.size);
    low.set(file, index.get(file)!);
    stack.push(file);
    for (const target of targets.get(file) ?? []) {
      if (!index.has(target)) {
        visit(target);
        low.set(file, Math.min(low.get(file)!, low.get(target)!));
      } else if (stack.includes(target)) low.set(file, Math.min(low.get(file)!, index.get(target)!));
    }
    if (low.get(file) !== index.get(file)) return;
    const group = stack.splice(stack.indexOf(file));
    if (group.length > 1 || targets.get(file)?.includes(file)) cycles.push(group.sort());
  };
  for (const file of targets.keys()) if (!index.has(file)) visit(file);
  return cycles.sort();
}
