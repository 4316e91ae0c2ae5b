import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { API, SymbolFlags, type Project, type Symbol } from 'typescript/unstable/sync';
import type { Node, SourceFile } from 'typescript/unstable/ast';
import { isExportDeclaration, isExportSpecifier, isStringLiteral } from 'typescript/unstable/ast/is';
import { documentationOf, moduleDocumentation, type Documentation } from './comments.js';
import { declarationText, mentionedNames, statementOf } from './declaration.js';
import type { PackageEntry } from './emit.js';

/** Something declared in the sources. */
export interface Declared {
  readonly name: string;
  readonly documentation: Documentation;
  /** The declaration without bodies, private members and its own comment. */
  readonly text: string;
  /** Below the root, e.g. `src/common/errors.ts`. */
  readonly source: string;
  /** Declarations of ours that it names. */
  readonly mentions: readonly Declared[];
}

/** An exported declaration. */
export interface Exported extends Declared {
  /** The folder whose index.ts exports it, where the entry assembles folders. */
  readonly group: string;
}

/** Everything that one page says. */
export interface ReadEntry extends PackageEntry {
  readonly introduction: string;
  readonly exported: readonly Exported[];
  /** Declarations that they mention and no entry exports. */
  readonly further: readonly Declared[];
  readonly problems: readonly string[];
}

/** Reads the entries out of emitted declarations. */
export function readEntries(root: string, folder: string, entries: readonly PackageEntry[]): ReadEntry[] {
  const api = new API();
  try {
    const config = join(folder, 'tsconfig.json');
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
    if (!project) throw new Error(`TypeScript did not open ${config}`);
    const reader = new Reader(folder, project);
    const read = entries.map((entry) => ({
      entry,
      // From the source: where its first import is left out of the declarations, so is the comment above it.
      introduction: moduleDocumentation(readFileSync(join(root, `src/${entry.module}.ts`), 'utf8')),
      exported: reader.exported(entry),
    }));
    const everywhere = new Set<Declared>(
      read.flatMap(({ exported }) => exported.map(({ declared }) => declared)),
    );
    return read.map(({ entry, introduction, exported }) => ({
      ...entry,
      introduction,
      exported: exported.map(({ declared, name, group }) => ({ ...declared, name, group })),
      further: furtherOf(
        exported.map(({ declared }) => declared),
        everywhere,
      ),
      problems: [
        ...(introduction === ''
          ? [`src/${entry.module}.ts: needs a comment with @module; it opens the page`]
          : []),
        ...exported.flatMap(({ declared, name }) => problemsOf(declared, name)),
      ],
    }));
  } finally {
    api.close();
  }
}

/** Declarations that are mentioned, directly or through others, and exported nowhere. */
function furtherOf(exported: readonly Declared[], everywhere: ReadonlySet<Declared>): Declared[] {
  const found = new Set<Declared>();
  const visit = ({ mentions }: Declared): void => {
    for (const mentioned of mentions) {
      if (everywhere.has(mentioned) || found.has(mentioned)) continue;
      found.add(mentioned);
      visit(mentioned);
    }
  };
  exported.forEach(visit);
  return [...found].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function problemsOf({ documentation, source }: Declared, name: string): string[] {
  if (/\w+ .*[.:)]$/s.test(documentation.text)) return [];
  return [`${source}: the export ${name} needs a doc comment of at least a sentence`];
}

class Reader {
  readonly #known = new Map<string, Declared>();

  constructor(
    private readonly folder: string,
    private readonly project: Project,
  ) {}

  exported({ module }: PackageEntry) {
    const file = this.#file(join(this.folder, `${module}.d.ts`));
    const { checker } = this.project;
    const exports = checker.getExportsOfModule(checker.getSymbolAtLocation(file)!);
    return exports
      .map((symbol) => ({
        name: symbol.name,
        ...this.#place(symbol, file),
        declared: this.#declared(symbol),
      }))
      .sort((a, b) => a.position - b.position);
  }

  #file(path: string): SourceFile {
    const file = this.project.program.getSourceFile(path);
    if (!file) throw new Error(`${path} is not part of the project`);
    return file;
  }

  /** The export in the entry, and the folder whose index.ts it comes through. */
  #place(symbol: Symbol, file: SourceFile): { position: number; group: string } {
    const [node] = symbol.declarations.map((handle) => handle.resolve(this.project)!);
    if (!isExportSpecifier(node)) return { position: node.pos, group: '' };
    const from = node.parent.parent;
    const specifier = isExportDeclaration(from) ? from.moduleSpecifier : undefined;
    const path = specifier && isStringLiteral(specifier) ? specifier.text : '';
    const [, group = ''] = /^\.\/([^/.]+)/.exec(path) ?? [];
    return { position: file.text.indexOf(node.getText(file), node.pos), group };
  }

  #declared(symbol: Symbol): Declared {
    const { checker } = this.project;
    const target = symbol.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    const nodes = target.declarations.map((handle) => handle.resolve(this.project)!);
    if (nodes.length === 0) throw new Error(`${symbol.name} has no declaration`);
    const files = nodes.map((node) => node.getSourceFile());
    const path = relative(this.folder, files[0].fileName);
    const key = `${path} ${target.name}`;
    const known = this.#known.get(key);
    if (known) return known;
    const statements = nodes.map(statementOf);
    const mentions: Declared[] = [];
    const declared: Declared = {
      name: target.name,
      documentation: documentationOf(files[0].text, statements[0].pos),
      text: statements.map((statement, i) => declarationText(files[i].text, statement)).join('\n'),
      source: `src/${path.replace(/\.d\.ts$/, '.ts')}`,
      mentions,
    };
    // Known before its mentions are read: types may name themselves.
    this.#known.set(key, declared);
    mentions.push(...this.#mentions(statements, declared));
    return declared;
  }

  #mentions(statements: readonly Node[], self: Declared): Declared[] {
    const found = new Set<Declared>();
    for (const name of statements.flatMap((statement) => mentionedNames(statement))) {
      const symbol = this.project.checker.getSymbolAtLocation(name);
      if (!symbol || !this.#isOurs(symbol)) continue;
      const mentioned = this.#declared(symbol);
      if (mentioned !== self) found.add(mentioned);
    }
    return [...found];
  }

  /** Declared at the top of one of our files: not a type parameter, not of another package. */
  #isOurs(symbol: Symbol): boolean {
    const { checker } = this.project;
    const target = symbol.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    if (checker.isUnknownSymbol(target) || target.flags & SymbolFlags.TypeParameter) return false;
    const node = target.declarations[0]?.resolve(this.project);
    if (!node) return false;
    return (
      !relative(this.folder, node.getSourceFile().fileName).startsWith('..') &&
      statementOf(node) !== node.getSourceFile()
    );
  }
}
