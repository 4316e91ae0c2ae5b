import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/**
 * A fenced block of a document. Comments on the lines above say what is special about it:
 *
 *   <!-- not run: REASON -->   nothing is executed
 *   <!-- file: NAME -->        saved under this name for the commands that follow
 *   <!-- continues -->         goes on where the program before it ended
 *   <!-- output -->            what the block before it prints; `…` stands for what varies
 */
export interface Block {
  readonly file: string;
  /** Of the opening fence, from 1. */
  readonly line: number;
  readonly language: string;
  /** The words after the language on the fence. */
  readonly info: string;
  readonly code: string;
  readonly marks: ReadonlyMap<string, string>;
}

const fence = /^```(\S*) ?(.*)$/;
const mark = /^<!-- (not run|file|continues|output)(?:: (.+))? -->$/;

/** All blocks of a document, from the top. */
export function blocksOf(file: string, text: string): Block[] {
  const blocks: Block[] = [];
  const lines = text.split('\n');
  let marks = new Map<string, string>();
  for (let i = 0; i < lines.length; i++) {
    const [, name, value = ''] = mark.exec(lines[i]) ?? [];
    if (name !== undefined) {
      marks.set(name, value);
      continue;
    }
    const [opening, language, info] = fence.exec(lines[i]) ?? [];
    if (opening !== undefined) {
      const end = lines.indexOf('```', i + 1);
      if (end < 0) throw new Error(`${file}:${i + 1}: the block has no end`);
      blocks.push({ file, line: i + 1, language, info, code: lines.slice(i + 1, end).join('\n'), marks });
      i = end;
    }
    if (lines[i] !== '') marks = new Map();
  }
  return blocks;
}

/** README.md and everything under docs/. */
export function documents(root: string): string[] {
  const below = readdirSync(join(root, 'docs'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
  return ['README.md', ...below.sort()];
}

export function readBlocks(root: string, file: string): Block[] {
  return blocksOf(file, readFileSync(join(root, file), 'utf8'));
}

/** A program of a document: a block with those that continue it, and what it should print. */
export interface Program {
  readonly name: string;
  readonly language: string;
  readonly code: string;
  /** The file's name where the block is a file. */
  readonly savedAs: string | undefined;
  /** Parts of what it prints, in order. */
  readonly output: readonly string[];
}

/** The programs of a document, in order. */
export function programsOf(blocks: readonly Block[]): Program[] {
  const programs: Program[] = [];
  for (const { file, line, language, code, marks } of blocks) {
    const last = programs.at(-1);
    if (marks.has('output')) {
      if (!last) throw new Error(`${file}:${line}: an output, but nothing before it is run`);
      programs[programs.length - 1] = { ...last, output: [...last.output, code] };
    } else if (marks.has('continues')) {
      if (!last) throw new Error(`${file}:${line}: continues, but nothing before it is run`);
      programs[programs.length - 1] = { ...last, code: `${last.code}\n${code}` };
    } else if (runnable.has(language) && !marks.has('not run')) {
      const savedAs = marks.get('file');
      programs.push({ name: `${file}:${line}`, language, code, savedAs, output: [] });
    }
  }
  return programs;
}

/** Languages of blocks that are code; others are pictures and output. */
export const runnable: ReadonlySet<string> = new Set(['ts', 'js', 'sh', 'yaml', 'json']);

/** The `bert-qe` commands of a shell block, as words, whether it is run or not. */
export function commandsOf(code: string): string[][] {
  return code
    .replace(/\\\n/g, ' ')
    .split('\n')
    .flatMap((line) => line.replace(/\s#.*$/, '').split(/&&|\|/))
    .map((command) => command.trim().replace(/^(npx )?bert-qe\s|^node bin\/bert-qe\.js\s/, '\0'))
    .filter((command) => command.startsWith('\0'))
    .map((command) =>
      command
        .slice(1)
        .replace(/'[^']*'|"[^"]*"/g, 'TEXT')
        .trim()
        .split(/\s+/),
    );
}
