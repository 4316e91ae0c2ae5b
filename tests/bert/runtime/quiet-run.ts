import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { temporaryFolder } from '../../support/folders.js';

/** The package of this checkout. */
const checkout = join(import.meta.dirname, '../../..');
const homes = temporaryFolder();

/** Programs that score with a model of the package in a folder, each in the way of another kind of user. */
export function programsWith(bertQe: string): Record<string, string> {
  const library = pathToFileURL(join(bertQe, 'dist/index.js')).href;
  const score = `
    const reranker = await BertQE.load({ models: 'T' });
    await reranker.rerank('bread', ['bread', 'bees']);
    await new Promise((resolve) => setTimeout(resolve, process.env.PAUSE_MS));
    await reranker.close();`;
  return {
    library: `import { BertQE } from '${library}';${score}`,
    required: `
      import { createRequire } from 'node:module';
      const { BertQE } = createRequire(import.meta.url)('${join(bertQe, 'dist/index.js')}');${score}`,
    'worker thread': `
      import { Worker } from 'node:worker_threads';
      const code = \`import('${library}').then(async ({ BertQE }) => {${score}})\`;
      const worker = new Worker(code, { eval: true });
      worker.on('error', (error) => { throw error; });`,
    'child process': `
      import { fork } from 'node:child_process';
      const code = \`import('${library}').then(async ({ BertQE }) => {${score}})\`;
      const child = fork('--eval', [code], { execArgv: [] });
      child.on('exit', (status) => { process.exitCode = status; });`,
  };
}

export const programs = programsWith(checkout);

export interface QuietRun {
  readonly code: number | null;
  readonly stderr: string;
  /** The files that it left in its home folder, the cache of bert-qe aside. */
  readonly files: string[];
}

/** Runs a program in a home folder of its own, without the settings of this process. */
export async function quietRun(
  program: string | readonly string[],
  options: {
    env?: Record<string, string>;
    under?: readonly string[];
    pauseMs?: number;
    /** The package whose command runs, and the folder in which it does; default: this checkout, a new home. */
    bertQe?: string;
    cwd?: string;
  } = {},
): Promise<QuietRun> {
  const home = mkdtempSync(join(homes, 'home-'));
  const cache = join(home, '.cache', 'bert-qe');
  mkdirSync(cache, { recursive: true });
  const inherited = { ...process.env };
  // The runtime sends nothing where CI is set, which would hide what these runs are to show.
  for (const name of ['CI', 'ORT_DISABLE_TELEMETRY', 'BERT_QE_CACHE', 'XDG_CACHE_HOME'])
    delete inherited[name];
  const pauseMs = String(options.pauseMs ?? 0);
  const env = { ...inherited, HOME: home, USERPROFILE: home, PAUSE_MS: pauseMs, ...options.env };
  const args =
    typeof program === 'string'
      ? ['--input-type=module', '--eval', program]
      : [join(options.bertQe ?? checkout, 'bin/bert-qe.js'), ...program];
  const [command, ...rest] = [...(options.under ?? []), process.execPath, ...args];
  const child = spawn(command, rest, { cwd: options.cwd ?? home, env, stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  const files = readdirSync(home, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(home, name)).isFile())
    .filter((name) => relative(cache, join(home, name)).startsWith('..'));
  return { code, stderr, files };
}
