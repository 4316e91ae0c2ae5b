import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { describe, expect, it } from 'vitest';
import { BertScorer } from '../../src/index.js';
import { temporaryFolder } from '../support/folders.js';
import { StaticHost } from '../support/static-host.js';
import { launch, programOf } from './support.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const pair = { a: 'keeping bread fresh', b: 'A loaf in a cloth bag stays fresh for two days.' };

describe.skipIf(programOf('chromium') === undefined)(
  'bert-qe/browser in an application',
  { timeout: 120_000 },
  () => {
    it('is bundled by Vite with its worker and its runtime', async () => {
      const folder = temporaryFolder();
      mkdirSync(join(folder, 'node_modules'));
      symlinkSync(root, join(folder, 'node_modules/bert-qe'));
      symlinkSync(join(root, 'node_modules/onnxruntime-web'), join(folder, 'node_modules/onnxruntime-web'));
      writeFileSync(
        join(folder, 'index.html'),
        '<!doctype html><title>-</title><script type="module" src="./main.js"></script>',
      );
      writeFileSync(
        join(folder, 'main.js'),
        `import { BertScorer } from 'bert-qe/browser';
const scorer = await BertScorer.load({ model: 'T', modelBase: 'models/' });
document.title = String((await scorer.score([${JSON.stringify(pair)}]))[0]);
`,
      );
      cpSync(join(root, 'models/tiny'), join(folder, 'public/models/tiny'), { recursive: true });
      await build({ root: folder, base: './', logLevel: 'error', build: { target: 'es2022' } });

      const host = new StaticHost({ '/': `${folder}/dist/` });
      await host.start();
      const browser = await launch('chromium');
      try {
        const page = await (await browser.newContext()).newPage();
        await page.goto(`${host.url}/`);
        await page.waitForFunction("document.title !== '-'", undefined, { timeout: 60_000 });
        const scorer = await BertScorer.load({ model: 'T' });
        const [wanted] = await scorer.score([pair]);
        await scorer.close();
        expect(Number(await page.title())).toBeCloseTo(wanted, 4);
        expect(host.asked.some((path) => path.endsWith('.wasm'))).toBe(true);
      } finally {
        await browser.close();
        host.stop();
      }
    });
  },
);
