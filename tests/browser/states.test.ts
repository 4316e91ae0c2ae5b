import { beforeAll, expect, it } from 'vitest';
import { startServer } from '../server/support/server.js';
import { describeInBrowser, finished, labels } from './support.js';

describeInBrowser('the page, when things are otherwise', (browser) => {
  let guarded: string;
  beforeAll(async () => {
    guarded = (await startServer({ models: ['T'], keys: ['open-sesame'], page: browser.page })).url;
  });

  it('says so when nothing is found', async () => {
    const page = await browser.open('/?q=zzxqy');
    await page.getByRole('heading', { name: 'Nothing found' }).waitFor();
  });

  it('offers the default variant where a link names one that is not here', async () => {
    const page = await browser.open('/?q=honey+bees&model=nope');
    await page.getByText('There is no model "nope" here').waitFor();
    await page.getByRole('button', { name: 'Take the default variant' }).click();
    await finished(page);
    expect(page.url()).not.toContain('model');
  });

  it('tells of a full queue, and tries again', async () => {
    const page = await browser.open();
    await page.route('**/search', (route) =>
      route.fulfill({
        status: 429,
        headers: { 'Retry-After': '3' },
        json: { message: 'The queue is full.', error_type: 'overloaded' },
      }),
    );
    await page.getByRole('button', { name: /crops without honey bees/ }).click();
    await page.getByText('The queue is full. It expects room in 3 s.').waitFor();
    await page.unroute('**/search');
    await page.getByRole('button', { name: 'Try again' }).click();
    await finished(page);
  });

  it('tells of a server that is gone', async () => {
    const page = await browser.open();
    await page.route('**/search', (route) => route.abort());
    await page.getByRole('button', { name: /predicting eruptions/ }).click();
    await page.getByRole('heading', { name: 'The server is gone' }).waitFor();
  });

  it('asks for a key where the server wants one; without an index it takes pasted documents', async () => {
    const page = await browser.open('/', {}, guarded);
    await page.getByLabel(/API key/).fill('wrong');
    await page.getByRole('button', { name: 'Use it' }).click();
    await page.getByText('The server did not take this key.').waitFor();
    await page.getByLabel(/API key/).fill('open-sesame');
    await page.getByRole('button', { name: 'Use it' }).click();
    await page.getByText('No index is loaded here').waitFor();
    await page.getByRole('button', { name: 'Fill in an example' }).click();
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await finished(page);
    expect(await labels(page, 'final')).toHaveLength(10);
  });

  it('opens the reports of experiments, which run no scripts', async () => {
    const page = await browser.open();
    await page.getByRole('link', { name: 'Experiments' }).click();
    const report = page.frameLocator('iframe[title="A study of bees"]');
    await report.getByRole('heading', { name: 'A study of bees' }).waitFor();
    // As tall as it is long: the page scrolls, not a window in it.
    await expect.poll(async () => (await page.locator('iframe').boundingBox())!.height).toBeGreaterThan(3000);
    await report.getByRole('link', { name: 'To the end' }).click();
    await expect.poll(() => page.evaluate<number>('window.scrollY')).toBeGreaterThan(1000);
    const title = "document.querySelector('iframe').contentDocument.title";
    expect(await page.evaluate(title)).toBe('A study of bees');
    await page.goBack();
    await page.getByRole('searchbox', { name: 'Query' }).waitFor();
  });
});
