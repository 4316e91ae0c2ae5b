// node --import tsx scripts/page-pictures.ts [QUERY]   (after npm run build; needs Chromium)
// Takes the pictures of the page in docs/images: `bert-qe serve --demo`, a query, light and dark.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const [query = 'predicting eruptions'] = process.argv.slice(2);
const root = fileURLToPath(new URL('..', import.meta.url));
const server = spawn(
  process.execPath,
  ['bin/bert-qe.js', 'serve', '--demo', '--port', '0', '--log-level', 'error'],
  { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] },
);
const url = await new Promise<string>((resolve) => {
  server.stdout.setEncoding('utf8').once('data', (text: string) => resolve(text.trim()));
});
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
try {
  for (const [scheme, name] of [
    ['light', 'page.png'],
    ['dark', 'page-dark.png'],
  ] as const) {
    const context = await browser.newContext({
      viewport: { width: 1360, height: 880 },
      deviceScaleFactor: 1.25,
      colorScheme: scheme,
      reducedMotion: 'reduce',
    });
    const page = await context.newPage();
    page.setDefaultTimeout(120_000);
    // The second search is a warm one: times as a visitor usually sees them.
    for (let i = 0; i < 2; i++) {
      await page.goto(`${url}/?q=${encodeURIComponent(query)}`);
      // Columns are there before their search is done; chunks are not.
      await page.locator('#chunks-title').waitFor();
    }
    await page.screenshot({ path: `${root}docs/images/${name}` });
    await context.close();
  }
} finally {
  await browser.close();
  server.kill();
}
