import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { BertQE } from '../../src/index.js';
import { DivergenceFeedback, KL, MemoryIndex, Searcher } from '../../src/retrieval/index.js';
import { readDocuments, type Document } from '../../src/collection/index.js';
import { demo } from '../server/support/server.js';
import { temporaryFolder } from '../support/folders.js';
import { StaticHost } from '../support/static-host.js';
import { browserNames, finished, labels, launch, programOf, seriousProblems } from './support.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const hasGenerator = existsSync(join(root, 'web/site/node_modules'));

/** Lets the service worker take its files. */
const settled = (page: Page) =>
  page.evaluate('navigator.serviceWorker.ready.then(({ active }) => active.state)');

for (const name of browserNames) {
  const missing = programOf(name) === undefined ? 'it is not installed' : undefined;
  const reason = missing ?? (hasGenerator ? undefined : 'the generator is not: npm ci --prefix web/site');
  describe.skipIf(reason !== undefined)(
    `the static site, in ${name}${reason === undefined ? '' : ` (skipped: ${reason})`}`,
    { timeout: 180_000 },
    () => {
      const folder = temporaryFolder();
      const server = new StaticHost({ '/': `${folder}/` });
      let browser: Browser;
      let context: BrowserContext;

      beforeAll(async () => {
        execFileSync(process.execPath, ['--import', 'tsx', join(root, 'scripts/build-site.ts'), folder], {
          cwd: root,
        });
        await server.start();
        browser = await launch(name);
      });
      afterEach(async () => {
        server.fault = undefined;
        await context.close();
      });
      afterAll(async () => {
        await browser.close();
        server.stop();
      });

      /** @param first Code that runs before the page's own. */
      async function open(path: string, width = 1400, first?: string): Promise<Page> {
        context = await browser.newContext({ viewport: { width, height: 900 } });
        const page = await context.newPage();
        if (first !== undefined) await page.addInitScript(first);
        page.setDefaultTimeout(90_000);
        page.on('pageerror', (error) => expect.fail(`The page threw: ${error.message}`));
        page.on('request', (request) => {
          if (/^https?:/.test(request.url())) expect(new URL(request.url()).origin).toBe(server.url);
        });
        await page.goto(server.url + path);
        return page;
      }

      it('ranks as the package does in Node, and asks nobody', async () => {
        const page = await open('/?q=predicting+eruptions');
        await finished(page);
        const documents: Document[] = [];
        for await (const { origin: _, ...document } of readDocuments(demo)) documents.push(document);
        const index = await MemoryIndex.build(documents);
        const text = 'predicting eruptions';
        const searcher = new Searcher(index, { feedback: new DivergenceFeedback(KL) });
        const ranking = await searcher.search({ id: '1', text }, { depth: 30 });
        const found = await index.get(ranking.map(({ id }) => id));
        const model = join(folder, 'models/tiny');
        const bertQe = await BertQE.load({ models: [model, model, model] });
        const { results } = await bertQe.rerank(
          text,
          ranking.map(({ id, score }) => ({ ...found.get(id)!, score })),
        );
        await bertQe.close();
        expect(await labels(page, 'final')).toEqual(results.map(({ id }) => found.get(id)!.title));
        expect(server.asked.filter((path) => path.endsWith('/search'))).toEqual([]);
        await page.locator('.column.final li button').first().click();
        await page.locator('#document-title').waitFor();
      });

      it('works without a network from the second visit on', async () => {
        // The service worker comes late, as on a slow network.
        let begin!: () => void;
        const late = new Promise<void>((resolve) => (begin = resolve));
        server.fault = (request, response) => {
          if (request.url !== '/sw.js') return false;
          response.setHeader('Content-Type', 'text/javascript');
          void late.then(() => response.end(readFileSync(join(folder, 'sw.js'))));
          return true;
        };
        const page = await open('/?q=honey+bees');
        await finished(page);
        begin();
        const runtime = JSON.stringify(`${server.url}/ort/ort-wasm-simd-threaded.wasm`);
        await expect
          .poll(() => page.evaluate(`caches.match(${runtime}).then(Boolean)`), { timeout: 30_000 })
          .toBe(true);
        const before = await labels(page, 'final');
        server.fault = (_, response) => {
          response.destroy();
          return true;
        };
        await page.goto(`${server.url}/?q=honey+bees&source=index`);
        await finished(page);
        expect(await labels(page, 'final')).toEqual(before);
        await page.goto(`${server.url}/docs/`);
        await page.getByRole('heading', { name: 'Documentation', level: 1 }).waitFor();
      });

      it.runIf(name === 'chromium')('can be installed', async () => {
        const page = await open('/');
        await settled(page);
        const tools = await context.newCDPSession(page);
        const { installabilityErrors } = await tools.send('Page.getInstallabilityErrors');
        // Fresh visitors of tests are incognito; nothing else may be wrong.
        expect(installabilityErrors.map(({ errorId }) => errorId)).toEqual(['in-incognito']);
      });

      it('ranks pasted and opened documents', async () => {
        const page = await open('/?source=pasted');
        await page.locator('input[type=file]').setInputFiles([
          {
            name: 'notes.csv',
            mimeType: 'text/csv',
            buffer: Buffer.from('title,text\nHive,Bees dance to tell the way.\n'),
          },
          {
            name: 'more.jsonl',
            mimeType: 'application/json',
            buffer: Buffer.from('{"id":"x","title":"Loaf","text":"Bread stays fresh in a bag."}\n'),
          },
        ]);
        await page.getByText('2 documents').waitFor();
        await page.getByRole('searchbox', { name: 'Query' }).fill('how do bees find flowers');
        await page.getByRole('button', { name: 'Search', exact: true }).click();
        await finished(page);
        expect(await labels(page, 'final')).toEqual(['Hive', 'Loaf']);
      });

      it('takes files that are dropped anywhere, where the tab may not store anything', async () => {
        const page = await open(
          '/',
          1400,
          `Storage.prototype.setItem = Storage.prototype.getItem = () => {
          throw new DOMException('Denied.', 'SecurityError');
        };`,
        );
        await page.getByRole('heading', { level: 1 }).waitFor();
        /** Drops files, given as code; tells whether the browser leaves the page for them. */
        const drop = (...files: string[]) =>
          page.evaluate<boolean>(`(() => {
            const dataTransfer = new DataTransfer();
            for (const file of [${files.join()}]) dataTransfer.items.add(file);
            const drop = new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true });
            document.querySelector('header').dispatchEvent(drop);
            return !drop.defaultPrevented;
          })()`);
        const table = "new File(['title,text\\nHive,Bees dance to tell the way.\\n'], 'a.csv')";
        expect(await drop(table, "new File(['Bread stays fresh in a bag.'], 'b.txt')")).toBe(false);
        await page.getByText('2 documents').waitFor();
        expect(await drop("new File([Uint8Array.of(37, 80, 68, 70, 0)], 'paper.pdf')")).toBe(false);
        await page.getByText('paper.pdf is not a text file.').waitFor();
        await page.getByRole('searchbox', { name: 'Query' }).fill('how do bees find flowers');
        await page.keyboard.press('Enter');
        await finished(page);
        expect(await labels(page, 'final')).toEqual(['Hive', 'Bread stays fresh in a bag.']);
      });

      it('finds sections of the documentation, and re-ranks them in the page', async () => {
        const page = await open('/docs/');
        await page.getByRole('searchbox').fill('how many workers does the server use');
        await page.getByText('Re-ranked in this page').waitFor();
        const focused = () => page.evaluate<string>('document.activeElement.localName');
        await page.getByRole('searchbox').press('Enter');
        expect(await focused()).toBe('a');
        await page.keyboard.press('ArrowDown');
        await page.keyboard.press('ArrowUp');
        await page.keyboard.press('ArrowUp');
        expect(await focused()).toBe('input');
        const first = page.locator('#found li a').first();
        const target = await first.getAttribute('href');
        await first.click();
        expect(page.url()).toBe(target);
        const anchor = decodeURIComponent(new URL(target!).hash.slice(1));
        await page.locator(`[id="${anchor}"]`).waitFor();
      });

      it('draws the tables of benchmarks', async () => {
        const page = await open('/docs/benchmarks.html');
        const plot = page.getByRole('img', { name: 'Documents indexed per second, one thread' });
        await plot.scrollIntoViewIfNeeded();
        const isDrawn = 'document.querySelector("article img").naturalWidth > 300';
        await expect.poll(() => page.evaluate<boolean>(isDrawn)).toBe(true);
        const drawing = readFileSync(join(folder, 'docs/plots/benchmarks-1.svg'), 'utf8');
        const [first] = await page.locator('article table').first().locator('tbody tr').allTextContents();
        const [collection, system, rate] = first.trim().split(/\s+/);
        expect(drawing).toContain(`>${collection}, ${system}<`);
        expect(drawing).toContain(`>${rate}<`);
      });

      it('leads through the pages by their groups, and through the page by its headings', async () => {
        const page = await open('/docs/api/browser.html');
        const pages = page.getByRole('navigation', { name: 'Pages' });
        expect(await pages.getByRole('heading').allTextContents()).toEqual([
          'Guides',
          'API',
          'Reference',
          'Measurements',
          'Development',
        ]);
        const here = pages.locator('[aria-current]');
        expect(await here.textContent()).toBe('bert-qe/browser');
        await expect.poll(async () => (await here.boundingBox())!.y).toBeLessThan(900);
        await pages.getByRole('link', { name: 'WebScorerOptions' }).click();
        expect(page.url()).toMatch(/#webscoreroptions$/);
      });

      it('says so when nothing is found', async () => {
        const page = await open('/?q=zzxqy');
        await page.getByRole('heading', { name: 'Nothing found' }).waitFor();
      });

      it('says what to do where a model cannot be had', async () => {
        server.fault = (request, response) => {
          if (!request.url!.includes('/models/')) return false;
          response.writeHead(404).end();
          return true;
        };
        const page = await open('/?q=honey+bees');
        await page.getByText(/models\/tiny\/config\.json: there is no such file/).waitFor();
        server.fault = undefined;
        await page.getByRole('button', { name: 'Try again' }).click();
        await finished(page);
      });

      it('has no serious problem for those who see, hear or type otherwise', async () => {
        for (const [path, width, colorScheme] of [
          ['/', 1400, 'light'],
          ['/', 390, 'dark'],
          ['/?source=pasted', 1400, 'dark'],
          ['/?q=honey+bees', 1400, 'light'],
          ['/?q=honey+bees', 390, 'dark'],
          ['/docs/', 1400, 'light'],
          ['/docs/#asked', 1400, 'dark'],
          ['/docs/api/browser.html', 1400, 'dark'],
          ['/docs/benchmarks.html', 1400, 'light'],
          ['/docs/server.html', 390, 'light'],
        ] as const) {
          const page = await open(path, width);
          await page.emulateMedia({ colorScheme });
          if (path.endsWith('#asked')) {
            await page.getByRole('searchbox').fill('how many workers does the server use');
            await page.getByText('Re-ranked in this page').waitFor();
          }
          if (path.includes('q=')) await finished(page);
          // The policy of the page lets no foreign script run: axe is put in by the browser's tools.
          expect(await seriousProblems(page), `${path} at ${width}, ${colorScheme}`).toEqual([]);
          const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
          expect(await page.evaluate<number>(overflow)).toBeLessThanOrEqual(0);
          await context.close();
        }
        context = await browser.newContext();
      });

      it('has no link between its pages that leads nowhere', () => {
        const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
          file.endsWith('.html'),
        );
        const broken = files.flatMap((file) =>
          [...readFileSync(join(folder, file), 'utf8').matchAll(/(?:href|src)="([^"#:]*)(?:#([^"]*))?"/g)]
            .filter(([, path]) => !path.startsWith('data'))
            .filter(([, path, anchor]) => {
              const target =
                path === ''
                  ? join(folder, file)
                  : join(folder, file, '..', path, path.endsWith('/') ? 'index.html' : '');
              const at = target.replace(/\/$/, '');
              if (!existsSync(at)) return true;
              return anchor !== undefined && !readFileSync(at, 'utf8').includes(`id="${anchor}"`);
            })
            .map(([link]) => `${file}: ${link}`),
        );
        expect(broken).toEqual([]);
      });
    },
  );
}
