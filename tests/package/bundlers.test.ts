import { execFile, spawn } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { blocksOf } from '../docs/blocks.js';
import { temporaryFolder } from '../support/folders.js';
import { InstalledPackage } from './install.js';

const run = promisify(execFile);
const installed = new InstalledPackage(temporaryFolder());

const page = blocksOf(
  'deployment.md',
  readFileSync(join(import.meta.dirname, '../../docs/deployment.md'), 'utf8'),
);

/** A file that the page shows. */
function fromPage(name: string): string {
  const block = page.find(({ marks }) => marks.get('file') === name);
  if (!block) throw new Error(`the page has no file ${name}`);
  return block.code;
}

beforeAll(() => {
  installed.install();
  installed.add('esbuild', 'vite', 'next@16', 'react', 'react-dom');
  writeFileSync(
    join(installed.folder, 'app.mjs'),
    `import { BertQE } from 'bert-qe';
const reranker = await BertQE.load({ models: 'T' });
const { results } = await reranker.rerank('keeping bread fresh', ['bees', 'bread stays fresh in a bag']);
console.log('best:', results[0].index);
await reranker.close();
`,
  );
});

const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1' };

describe('the configurations of docs/deployment.md', () => {
  test.each(page.filter(({ code }) => /^npx (esbuild|vite) /.test(code)).map(({ code }) => code))(
    '%s',
    async (command) => {
      const [, ...words] = command.split(' ');
      const out = join(installed.folder, 'out');
      rmSync(out, { recursive: true, force: true });
      await run(join(installed.packages, '.bin', words[0]), words.slice(1), { cwd: installed.folder, env });
      const built = readdirSync(out);
      expect(built).toHaveLength(1);
      const { stdout } = await run(process.execPath, [join(out, built[0])], { cwd: installed.folder });
      expect(stdout).toBe('best: 1\n');
    },
  );

  test('Next.js: its standalone output, copied elsewhere', async () => {
    const write = (path: string, text: string) => writeFileSync(join(installed.folder, path), text);
    mkdirSync(join(installed.folder, 'app/api/rerank'), { recursive: true });
    write('app/layout.jsx', 'export default ({ children }) => <html><body>{children}</body></html>;\n');
    write('app/api/rerank/route.js', fromPage('app/api/rerank/route.js'));
    write('next.config.mjs', fromPage('next.config.mjs'));
    await run(process.execPath, [join(installed.packages, 'next/dist/bin/next'), 'build'], {
      cwd: installed.folder,
      env,
    });
    const elsewhere = temporaryFolder();
    cpSync(join(installed.folder, '.next/standalone'), elsewhere, {
      recursive: true,
      verbatimSymlinks: true,
    });
    const server = spawn(process.execPath, ['server.js'], {
      cwd: elsewhere,
      env: { ...env, PORT: '0', HOSTNAME: '127.0.0.1' },
    });
    try {
      let log = '';
      const url = await new Promise<string>((resolve, reject) => {
        for (const stream of [server.stdout, server.stderr])
          stream.setEncoding('utf8').on('data', (text: string) => {
            log += text;
            const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(log) ?? [];
            if (found !== undefined) resolve(found);
          });
        server.on('close', () => reject(new Error(log)));
      });
      const answer = await fetch(`${url}/api/rerank`, {
        method: 'POST',
        body: JSON.stringify({
          query: 'keeping bread fresh',
          documents: ['bees', 'bread stays fresh in a bag'],
        }),
      });
      expect(answer.status, log).toBe(200);
      expect(((await answer.json()) as { index: number }[])[0].index).toBe(1);
    } finally {
      server.kill('SIGKILL');
    }
  });
});
