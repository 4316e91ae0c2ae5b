import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CliResult } from '../support/cli.js';
import type { Program } from './blocks.js';

/** Articles and queries on bread that stand for the reader's collection: enough to rank, few enough to be quick. */
const subjects = /^bread-/;
const queryIds = new Set(['8', '9', '10']);

/** An installation of bert-qe with the packages beside it. */
export interface Installation {
  /** The folder of the package: the checkout, or where it was installed. */
  readonly bertQe: string;
  /** A folder of installed packages: `node_modules`. */
  readonly packages: string;
  /** The packages of it that programs may import. */
  readonly imported: readonly string[];
}

/** The checkout, with the packages that `npm ci` installs. */
export function checkout(root: string): Installation {
  return { bertQe: root, packages: join(root, 'node_modules'), imported: ['tsx', '@langchain'] };
}

/** The folder of a reader who has installed bert-qe and has a collection. */
export class World {
  constructor(
    private readonly installation: Installation,
    readonly folder: string,
  ) {
    const { bertQe: root, packages, imported } = installation;
    const at = (path: string) => join(folder, path);
    for (const path of ['node_modules', 'bin', 'collections/scifact', 'corpus', 'notes'])
      mkdirSync(at(path), { recursive: true });
    symlinkSync(root, at('node_modules/bert-qe'));
    for (const name of imported) symlinkSync(join(packages, name), at(`node_modules/${name}`));
    symlinkSync(join(root, 'demo'), at('demo'));
    writeFileSync(at('bin/bert-qe.js'), launcher(root));
    writeFileSync(
      at('bin/bert-qe'),
      `#!/bin/sh\nexec "${process.execPath}" "${at('bin/bert-qe.js')}" "$@"\n`,
    );
    // The package is already installed and built.
    writeFileSync(at('bin/npm'), `#!/bin/sh\n[ "$*" = ci ] || [ "$*" = "run build" ]\n`);
    for (const name of ['bert-qe', 'npm']) chmodSync(at(`bin/${name}`), 0o755);
    this.#collection();
    writeFileSync(at('given.mjs'), given(root));
  }

  /** Writes a part of the demo under the names that the documents use for the reader's files. */
  #collection(): void {
    const lines = (name: string) =>
      readFileSync(join(this.installation.bertQe, 'demo', name), 'utf8')
        .split('\n')
        .filter(Boolean);
    const write = (name: string, kept: readonly string[]) =>
      writeFileSync(join(this.folder, name), `${kept.join('\n')}\n`);
    const corpus = lines('corpus.jsonl').filter((line) => subjects.test(idOf(line)));
    const queries = lines('queries.jsonl').filter((line) => queryIds.has(idOf(line)));
    const qrels = lines('qrels.txt').filter((line) => queryIds.has(line.split(' ')[0]));
    for (const folder of ['collections/scifact', 'corpus', '.']) {
      write(`${folder}/corpus.jsonl`, corpus);
      write(`${folder}/queries.jsonl`, queries);
      write(`${folder}/qrels.txt`, qrels);
    }
    write('train.jsonl', queries.slice(0, 1));
    write('valid.jsonl', queries.slice(1, 2));
    write('test.jsonl', queries.slice(2));
    write('keys.txt', ['a-key-of-your-own']);
    const articles = corpus.map((line) => JSON.parse(line) as { _id: string; title: string; text: string });
    for (const { _id, title, text } of articles) write(`notes/${_id}.md`, [`# ${title}`, '', text]);
    write('products.csv', [
      'sku,name,description,materials',
      'K-1,Bread box,"Keeps loaves, and rolls, fresh",oak',
    ]);
    write('tickets.jsonl', [
      JSON.stringify({ key: 7, subject: 'Stale', thread: { question: 'Why?', answer: 'Air.' } }),
    ]);
  }

  /** Runs a program to its end. */
  run({ language, code, name }: Program): Promise<CliResult> {
    if (language === 'sh') return this.#process('bash', ['-e', '-o', 'pipefail', '-c', code]);
    const file = fileName(name, language === 'ts' ? 'mts' : 'mjs');
    writeFileSync(join(this.folder, file), code);
    const loader = language === 'ts' ? ['--import', 'tsx'] : [];
    return this.#process(process.execPath, [...loader, '--import', './given.mjs', file]);
  }

  /** The compiler's errors for programs in TypeScript; empty where they are well typed. */
  async typeErrors(
    programs: readonly Pick<Program, 'name' | 'code'>[],
    { skipLibCheck = true } = {},
  ): Promise<string> {
    const files = programs.map(({ name, code }) => {
      const file = join(this.folder, fileName(name, 'mts'));
      writeFileSync(file, `${code}\nexport {};\n`);
      return file;
    });
    writeFileSync(
      join(this.folder, 'given.d.ts'),
      'declare const query: string;\ndeclare const documents: string[];\n',
    );
    const { packages } = this.installation;
    writeFileSync(
      join(this.folder, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: {
          target: 'ES2023',
          module: 'nodenext',
          strict: true,
          exactOptionalPropertyTypes: true,
          isolatedModules: true,
          skipLibCheck,
          typeRoots: [join(packages, '@types')],
          types: ['node'],
          noEmit: true,
        },
        files: ['given.d.ts', ...files],
        include: [],
      }),
    );
    const { code, stdout, stderr } = await this.#process(process.execPath, [
      join(packages, 'typescript/bin/tsc'),
      '-p',
      this.folder,
    ]);
    return code === 0 ? '' : stdout + stderr;
  }

  #process(command: string, args: readonly string[]): Promise<CliResult> {
    return new Promise((resolve, reject) => {
      const child = spawn(command, args, {
        cwd: this.folder,
        env: { ...process.env, PATH: `${join(this.folder, 'bin')}:${process.env.PATH}`, NO_COLOR: '1' },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const text = { stdout: '', stderr: '' };
      for (const stream of ['stdout', 'stderr'] as const) {
        child[stream].setEncoding('utf8').on('data', (part: string) => (text[stream] += part));
      }
      child.on('error', reject);
      child.on('close', (code) => resolve({ code, ...text }));
    });
  }
}

/** Messages of Node and of the compiler name the file, which names the place in the documents. */
function fileName(name: string, ending: string): string {
  return `${name.replace(/\W+/g, '-')}.${ending}`;
}

function idOf(line: string): string {
  return (JSON.parse(line) as { _id: string })._id;
}

/** `query` and `documents`, which snippets use for what the reader has. */
function given(root: string): string {
  return `
import { readFileSync } from 'node:fs';
const lines = readFileSync(${JSON.stringify(join(root, 'demo/corpus.jsonl'))}, 'utf8').split('\\n').filter(Boolean);
globalThis.query = 'keeping bread fresh longer';
globalThis.documents = lines.map((line) => JSON.parse(line)).filter(({ _id }) => ${subjects}.test(_id)).map(({ text }) => text);
`;
}

/**
 * The real launcher. Only `serve`, which would not end, is different: it gets a free port, must answer, and is then told
 * to stop as an operator would.
 */
function launcher(root: string): string {
  return `
import { spawn } from 'node:child_process';
const args = process.argv.slice(2);
const isServer = args[0] === 'serve';
const child = spawn(process.execPath, [${JSON.stringify(join(root, 'bin/bert-qe.js'))}, ...args, ...(isServer ? ['--port', '0'] : [])], {
  stdio: ['inherit', isServer ? 'pipe' : 'inherit', 'inherit'],
});
child.on('close', (code) => process.exit(code ?? 1));
if (isServer) {
  child.stdout.setEncoding('utf8').once('data', async (url) => {
    const { status } = await fetch(new URL('/ready', url.trim())).catch(() => ({ status: 0 }));
    child.kill(status === 200 ? 'SIGTERM' : 'SIGKILL');
  });
}
`;
}
