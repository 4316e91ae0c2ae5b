import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { temporaryFolder } from '../../support/folders.js';

const root = join(import.meta.dirname, '../../..');
const homes = temporaryFolder();
const library = pathToFileURL(join(root, 'dist/index.js')).href;

/** Programs that score with a model, each in the way of another kind of user. */
export const programs = {
  library: `
    import { BertQE } from '${library}';
    const reranker = await BertQE.load({ models: 'T' });
    await reranker.rerank('bread', ['bread', 'bees']);
    await pause();
    await reranker.close();`,
  required: `
    import { createRequire } from 'node:module';
    const { BertScorer } = createRequire(import.meta.url)('${join(root, 'dist/index.js')}');
    const scorer = await BertScorer.load({ model: 'T' });
    await pause();
    await scorer.close();`,
  'worker thread': `
    import { Worker } from 'node:worker_threads';
    const code = \`import('${library}').then(async ({ BertQE }) => {
      const reranker = await BertQE.load({ models: 'T' });
      await reranker.rerank('bread', ['bread', 'bees']);
      await new Promise((resolve) => setTimeout(resolve, \${process.env.PAUSE_MS}));
      await reranker.close();
    })\`;
    const worker = new Worker(code, { eval: true });
    worker.on('error', (error) => { throw error; });`,
};

export interface QuietRun {
  readonly code: number | null;
  readonly stderr: string;
  /** The files that it left in its home folder, the cache of bert-qe aside. */
  readonly files: string[];
}

/** Runs a program in a home folder of its own, without the settings of this process. */
export async function quietRun(
  program: string | readonly string[],
  options: { env?: Record<string, string>; under?: readonly string[]; pauseMs?: number } = {},
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
  const pause = `const pause = () => new Promise((resolve) => setTimeout(resolve, ${pauseMs}));`;
  const args =
    typeof program === 'string'
      ? ['--input-type=module', '--eval', pause + program]
      : [join(root, 'bin/bert-qe.js'), ...program];
  const [command, ...rest] = [...(options.under ?? []), process.execPath, ...args];
  const child = spawn(command, rest, { cwd: home, env, stdio: ['ignore', 'ignore', 'pipe'] });
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
