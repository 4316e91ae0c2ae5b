// node --import tsx bench/browser/session.ts [MINUTES]   (after npm run build:site; needs Chromium)
// The memory of a page that is searched for a long time, always with new questions and new texts: the static site, its
// models and its index. After each thirtieth of the time, with garbage collected: the JavaScript heaps of the page and of
// its workers, the memory of WebAssembly, and the anonymous memory of the processes. Ends with code 1 where the last
// third needs more than 3 % above the middle third; in the first one, caches of a bounded size fill. The least of a third
// counts: browsers give freed memory back when the page rests.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { StaticHost } from '../../tests/support/static-host.js';

const root = join(import.meta.dirname, '../..');
const minutes = Number(process.argv[2] ?? 30);
const site = process.env.SITE ?? join(root, 'site');
const REPORTS = 30;
const GROWTH = 1.03;
/** Milliseconds of a search that count as time of the page: a process that is stopped for a while does not age. */
const LONGEST_SEARCH = 10_000;

if (!existsSync(join(site, 'site.json'))) {
  process.stderr.write(`${site} holds no site: npm run build:site\n`);
  process.exit(2);
}
const host = new StaticHost({ '/': `${site}/` });
// The browser tells its memory to isolated pages only.
host.isolated = true;
// Workers tell the size of the memory that their runtime took.
const teller = `
  const memories = [];
  const Real = WebAssembly.Memory;
  WebAssembly.Memory = class extends Real { constructor(size) { super(size); memories.push(this); } };
  new BroadcastChannel('asked').onmessage = () =>
    new BroadcastChannel('told').postMessage(memories.reduce((sum, { buffer }) => sum + buffer.byteLength, 0));
`;
host.fault = (request, response) => {
  if (request.url !== '/browser/worker.js') return false;
  response.setHeader('Content-Type', 'text/javascript');
  response.end(teller + readFileSync(join(site, 'browser/worker.js'), 'utf8'));
  return true;
};
await host.start();
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-dev-shm-usage', '--enable-blink-features=ForceEagerMeasureMemory'],
});

const articles = readFileSync(join(root, 'demo/corpus.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => (JSON.parse(line) as { text: string }).text.split(/\s+/));
let drawn = 1;
const draw = (count: number): number => {
  drawn = (Math.imul(drawn, 1664525) + 1013904223) >>> 0;
  return Math.floor((drawn / 2 ** 32) * count);
};
/** Words in a row of an article; every eighth is one that nobody has written yet. */
const words = (count: number): string => {
  const article = articles[draw(articles.length)];
  const from = draw(Math.max(1, article.length - count));
  return article
    .slice(from, from + count)
    .map((word, i) => (i % 8 === 0 ? draw(2 ** 32).toString(36) : word))
    .join(' ');
};

const megabytes = (value: number): number => Math.round(value / 1e5) / 10;

interface Memory {
  readonly searches: number;
  /** Megabytes. */
  readonly javaScript: number;
  readonly webAssembly: number;
  readonly process: number;
}

try {
  const page = await browser.newPage({ bypassCSP: true });
  // The process may be stopped for a while.
  page.setDefaultTimeout(0);
  page.on('pageerror', (error) => {
    throw error;
  });
  await page.goto(`${host.url}/?source=pasted`);
  await page.locator('#documents').waitFor();
  const devTools = await browser.newBrowserCDPSession();

  /** Searches as a visitor does: texts are pasted, more of them in every fourth search than are re-ranked. */
  const search = async (count: number): Promise<void> => {
    const texts = Array.from({ length: count % 4 === 3 ? 150 : 30 }, () => words(90));
    const documents = texts.join('\n');
    // Words of one of the texts, so that the first stage finds it.
    const question = texts[draw(texts.length)].split(' ').filter((word) => word.length > 6);
    await page.evaluate(
      `{
        document.querySelector('details.paste').open = true;
        const field = document.querySelector('#documents');
        field.value = ${JSON.stringify(documents)};
        field.dispatchEvent(new Event('input', { bubbles: true }));
      }`,
    );
    const best = "(document.querySelector('.column.final .label')?.textContent ?? '')";
    const before = await page.evaluate<string>(best);
    await page.locator('#query').fill(question.slice(0, 4).join(' '));
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    const notice = "document.querySelector('.notice')";
    await page.waitForFunction(`${notice} || !['', ${JSON.stringify(before)}].includes${best}`);
    const problem = await page.evaluate<string | undefined>(`${notice}?.innerText`);
    if (problem !== undefined) throw new Error(problem);
  };

  const measure = async (searches: number): Promise<Memory> => {
    const bytes = await page.evaluate<{ javaScript: number; webAssembly: number }>(`(async () => {
      const told = new BroadcastChannel('told');
      let webAssembly = 0;
      told.onmessage = ({ data }) => (webAssembly += data);
      new BroadcastChannel('asked').postMessage('');
      const { bytes } = await performance.measureUserAgentSpecificMemory();
      await new Promise((resolve) => setTimeout(resolve, 500));
      told.close();
      return { javaScript: bytes, webAssembly };
    })()`);
    const { processInfo } = (await devTools.send('SystemInfo.getProcessInfo')) as {
      processInfo: { type: string; id: number }[];
    };
    const resident = processInfo
      .filter(({ type }) => type === 'renderer')
      .map(({ id }) => /Anonymous:\s+(\d+)/.exec(readFileSync(`/proc/${id}/smaps_rollup`, 'utf8')))
      .reduce((sum, found) => sum + Number(found![1]) * 1024, 0);
    return {
      searches,
      javaScript: megabytes(bytes.javaScript),
      webAssembly: megabytes(bytes.webAssembly),
      process: megabytes(resident),
    };
  };

  const reports: Memory[] = [];
  let searches = 0;
  let searched = 0;
  for (let report = 0; report <= REPORTS; report++) {
    do {
      const began = Date.now();
      await search(searches++);
      searched += Math.min(Date.now() - began, LONGEST_SEARCH);
    } while (searched < (minutes * 60_000 * report) / REPORTS);
    reports.push(await measure(searches));
    process.stdout.write(`${JSON.stringify(reports.at(-1))}\n`);
  }
  mkdirSync(join(root, 'bench/results'), { recursive: true });
  writeFileSync(
    join(root, 'bench/results/browser-session.json'),
    `${JSON.stringify({ minutes, reports }, undefined, 2)}\n`,
  );
  const third = REPORTS / 3;
  const least = (part: readonly Memory[], name: keyof Memory): number =>
    Math.min(...part.map((one) => one[name]));
  for (const name of ['javaScript', 'webAssembly', 'process'] as const) {
    const middle = least(reports.slice(third + 1, 2 * third + 1), name);
    const last = least(reports.slice(2 * third + 1), name);
    const grew = last > middle * GROWTH;
    process.stdout.write(
      `${name}: ${middle.toFixed(1)} MB, then ${last.toFixed(1)}${grew ? ': grew' : ''}\n`,
    );
    if (grew) process.exitCode = 1;
  }
} finally {
  await browser.close();
  host.stop();
}
