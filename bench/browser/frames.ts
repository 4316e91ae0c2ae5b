// node --import tsx bench/browser/frames.ts [ROUNDS]   (after npm run build; needs Chromium and Firefox)
// The longest gap between two frames of a page while BERT-QE re-ranks 100 and 1,000 documents in it, expansion and
// explanation included, in every round, and in Chromium the most processor time that a task of the page's thread takes:
// other programs lengthen the one, not the other. The model is loaded before.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, firefox } from 'playwright-core';
import { StaticHost } from '../../tests/support/static-host.js';
import { demoPhaseThree } from './workload.js';

const root = join(import.meta.dirname, '../..');
const [rounds = 3, most = 1000] = process.argv.slice(2).map(Number);
const words = [...new Set(demoPhaseThree(200).map(({ b }) => b))].join(' ').split(' ');
/** Documents of 180 words, each from another place on, so that hardly a passage occurs twice. */
const documents = Array.from({ length: most }, (_, i) => {
  const from = (97 * i) % (words.length - 180);
  return words.slice(from, from + 180).join(' ');
});
const host = new StaticHost();
await host.start();
const rows: object[] = [];

/** An event of Chromium's trace. */
interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds of processor time. */
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

/** Milliseconds of processor time of the longest task of a page's thread. */
function longestTask(trace: Buffer): number {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] };
  const threadOf = ({ pid, tid }: TraceEvent): string => `${pid} ${tid}`;
  const pages = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
      .map(threadOf),
  );
  const tasks = traceEvents.filter((event) => event.name.endsWith('RunTask') && pages.has(threadOf(event)));
  if (tasks.length === 0) throw new Error('The trace has no tasks.');
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1000;
}

for (const [name, start] of [
  [
    'Chromium',
    () =>
      chromium.launch({
        executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
        args: ['--no-sandbox', '--disable-dev-shm-usage'],
      }),
  ],
  [
    'Firefox',
    () =>
      firefox.launch({
        executablePath: process.env.FIREFOX ?? '/usr/bin/firefox-esr',
        channel: 'moz-firefox',
      }),
  ],
] as const) {
  const browser = await start();
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(0);
    await page.goto(host.url);
    for (const count of new Set([Math.min(100, most), most])) {
      const args = JSON.stringify({ texts: documents.slice(0, count), rounds });
      const found = await page.evaluate<{ gaps: number[]; frames: number; seconds: number; pairs: number }>(
        `(async ({ texts, rounds }) => {
          const { BertQE } = await import('/browser/index.js');
          window.bertQe ??= await BertQE.load({ models: 'TTT', modelBase: '/models/', runtime: '/ort/' });
          const gaps = [];
          let frames = 0, seconds = 0, pairs = 0;
          for (let round = 0; round < rounds; round++) {
            let last, longest = 0, running = true;
            const frame = (now) => {
              longest = Math.max(longest, now - (last ?? now));
              last = now;
              frames++;
              if (running) requestAnimationFrame(frame);
            };
            requestAnimationFrame(frame);
            await new Promise((resolve) => setTimeout(resolve, 200));
            const began = performance.now();
            const { cost } = await bertQe.rerank('honey bees ' + round, texts, { explain: true });
            seconds += (performance.now() - began) / 1000;
            pairs += cost.pairs;
            running = false;
            await new Promise((resolve) => setTimeout(resolve, 100));
            gaps.push(longest);
          }
          return { gaps, frames, seconds, pairs };
        })(${args})`,
      );
      const { gaps, frames, seconds, pairs } = found;
      let task: number | undefined;
      if (name === 'Chromium') {
        const all = JSON.stringify(documents.slice(0, count));
        await page.evaluate(`window.texts = ${all}`);
        await browser.startTracing(page, {
          categories: ['toplevel', 'disabled-by-default-devtools.timeline'],
        });
        await page.evaluate('window.bertQe.rerank("honey bees", texts, { explain: true }).then(() => 0)');
        task = longestTask(await browser.stopTracing());
      }
      const row = {
        browser: `${name} ${browser.version()}`,
        documents: count,
        pairs: pairs / rounds,
        seconds: seconds / rounds,
        framesPerSecond: Math.round(frames / seconds),
        longestGaps: gaps.map((gap) => Math.round(gap * 10) / 10),
        ...(task === undefined ? {} : { longestTask: Math.round(task * 10) / 10 }),
      };
      rows.push(row);
      process.stdout.write(`${JSON.stringify(row)}\n`);
    }
  } finally {
    await browser.close();
  }
}
host.stop();
mkdirSync(join(root, 'bench/results'), { recursive: true });
writeFileSync(join(root, 'bench/results/browser-frames.json'), `${JSON.stringify(rows, undefined, 2)}\n`);
