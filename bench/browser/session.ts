// node --import tsx bench/browser/session.ts [MINUTES]   (after npm run build; needs Chromium)
// The memory of a page that searches for a long time: page, workers and WebAssembly, measured by the browser.
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { StaticHost } from '../../tests/support/static-host.js';
import { demoPhaseThree } from './workload.js';

const root = join(import.meta.dirname, '../..');
const minutes = Number(process.argv[2] ?? 30);
const host = new StaticHost({
  '/browser/': join(root, 'dist/browser/'),
  '/models/': join(root, 'models/'),
  '/ort/': join(root, 'node_modules/onnxruntime-web/dist/'),
});
// The browser tells its memory to isolated pages only.
host.isolated = true;
await host.start();
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-dev-shm-usage', '--enable-blink-features=ForceEagerMeasureMemory'],
});
try {
  const page = await browser.newPage();
  await page.goto(host.url);
  const texts = [...new Set(demoPhaseThree(200).map(({ b }) => b))];
  const start = `(async (texts) => {
    const { BertQE } = await import('/browser/index.js');
    window.bertQe = await BertQE.load({ models: 'TTT', modelBase: '/models/', runtime: '/ort/' });
    window.texts = texts;
  })(${JSON.stringify(texts)})`;
  await page.evaluate(start);
  const until = Date.now() + minutes * 60_000;
  let searches = 0;
  for (let report = 0; report <= 10; report++) {
    const next = report === 0 ? 0 : Math.min(until, Date.now() + (minutes * 60_000) / 10);
    do {
      // Sixteen searches in turn: their texts fill the cache of tokens, which is bounded, and then nothing may grow.
      await page.evaluate(`(async (n) => {
        const some = texts.map((text, i) => text + ' ' + n + ' ' + i).filter((_, i) => (i + n) % 8 === 0);
        await bertQe.rerank('question ' + n, some, { explain: true });
      })(${searches++ % 16})`);
    } while (Date.now() < next);
    const bytes = await page.evaluate<number>(
      `performance.measureUserAgentSpecificMemory().then(({ bytes }) => bytes)`,
    );
    process.stdout.write(`${searches} searches: ${(bytes / 1e6).toFixed(1)} MB\n`);
  }
} finally {
  await browser.close();
  host.stop();
}
