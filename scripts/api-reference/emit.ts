import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A subpath of the package that can be imported. */
export interface PackageEntry {
  /** The specifier of an import, e.g. `bert-qe/server`. */
  readonly name: string;
  /** Its module below src, without ending, e.g. `server/index`. */
  readonly module: string;
  /** The page that describes it. */
  readonly page: string;
}

/** The entries that package.json exports with types. */
export function packageEntries(root: string): PackageEntry[] {
  const { name, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    name: string;
    exports: Record<string, string | { types?: string }>;
  };
  return Object.entries(exports).flatMap(([subpath, target]) => {
    if (typeof target === 'string') return [];
    const [, module] = /^\.\/dist\/(.+)\.d\.ts$/.exec(target.types ?? '') ?? [];
    if (module === undefined) throw new Error(`package.json: exports["${subpath}"] has no types in dist/`);
    const page = subpath === '.' ? name : subpath.slice(2).replaceAll('/', '-');
    return [{ name: name + subpath.slice(1), module, page: `${page}.md` }];
  });
}

/** Writes the declarations of all sources, as the build does, with a project around them that can be opened. */
export function emitDeclarations(root: string, folder: string): void {
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const args = ['-p', join(root, 'tsconfig.build.json'), '--emitDeclarationOnly', '--noCheck'];
  const { status, stdout, stderr } = spawnSync(process.execPath, [tsc, ...args, '--outDir', folder], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`tsc could not write declarations:\n${stdout}${stderr}`);
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      // Declarations of other packages are not read, so they need not be found from here.
      compilerOptions: { module: 'nodenext', target: 'es2023', skipLibCheck: true, types: [], noEmit: true },
      include: ['**/*.d.ts'],
    }),
  );
}
