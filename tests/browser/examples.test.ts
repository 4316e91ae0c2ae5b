import { execFileSync, execSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { demo } from '../server/support/server.js';
import { temporaryFolder } from '../support/folders.js';
import { StaticHost } from '../support/static-host.js';
import { browserNames, launch, programOf } from './support.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const examples = join(root, 'examples');

describe('the examples for browsers', { timeout: 120_000 }, () => {
  const out = temporaryFolder();

  for (const name of browserNames) {
    it.skipIf(programOf(name) === undefined)(`search.html searches a site, in ${name}`, async () => {
      execFileSync(process.execPath, [join(examples, 'browser/build.mjs'), demo, out]);
      cpSync(join(examples, 'browser/search.html'), join(out, 'index.html'));
      const host = new StaticHost({ '/': `${out}/` });
      await host.start();
      const browser = await launch(name);
      try {
        const page = await (await browser.newContext()).newPage();
        page.setDefaultTimeout(90_000);
        await page.goto(`${host.url}/`);
        await page.getByRole('searchbox').fill('crops without honey bees');
        await page.keyboard.press('Enter');
        await page.locator('#results[data-state=re-ranked] li').first().waitFor();
        expect(await page.locator('#results li').count()).toBeGreaterThan(5);
      } finally {
        await browser.close();
        host.stop();
      }
    });
  }

  it.skipIf(programOf('chromium') === undefined)(
    'the extension ranks the open tabs, in chromium',
    async () => {
      const folder = realpathSync(temporaryFolder());
      cpSync(join(examples, 'extension'), folder, { recursive: true });
      mkdirSync(join(folder, 'node_modules'));
      symlinkSync(root, join(folder, 'node_modules/bert-qe'));
      symlinkSync(join(root, 'node_modules/onnxruntime-web'), join(folder, 'node_modules/onnxruntime-web'));
      const commands = readFileSync(join(folder, 'panel.js'), 'utf8').matchAll(/^\/\/ {3}(.+)$/gm);
      for (const [, command] of commands) execSync(command, { cwd: folder });
      rmSync(join(folder, 'node_modules'), { recursive: true });
      // The id of an extension that is loaded from a folder is made of its path.
      const hash = createHash('sha256').update(folder).digest('hex').slice(0, 32);
      const id = [...hash].map((digit) => String.fromCharCode(97 + Number.parseInt(digit, 16))).join('');
      const context = await chromium.launchPersistentContext(temporaryFolder(), {
        executablePath: programOf('chromium')!,
        args: [
          '--no-sandbox',
          '--headless=new',
          `--disable-extensions-except=${folder}`,
          `--load-extension=${folder}`,
        ],
        ignoreDefaultArgs: ['--disable-extensions'],
      });
      try {
        for (const title of ['How bees find flowers', 'Bridges that sway', 'Bread that stays fresh']) {
          await (await context.newPage()).goto(`data:text/html,<title>${title}</title>`);
        }
        const panel = await context.newPage();
        await panel.goto(`chrome-extension://${id}/panel.html`);
        await panel.getByRole('searchbox').fill('keeping a loaf of bread fresh');
        await panel.keyboard.press('Enter');
        await panel.locator('ol li').first().waitFor({ timeout: 60_000 });
        expect(await panel.locator('ol li').first().textContent()).toBe('Bread that stays fresh');
      } finally {
        await context.close();
      }
    },
  );
});
