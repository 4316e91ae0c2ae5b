import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeInBrowser, finished, labels, seriousProblems } from './support.js';

const query = '/?q=threats+to+honey+bees';
const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

const focused = (page: Page) => page.locator(':focus');

/** Presses Tab until something of this description has the focus. */
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let i = 0; i < 30; i++) {
    await page.keyboard.press('Tab');
    if (await focused(page).evaluate(`(element) => element.matches(${JSON.stringify(selector)})`)) return;
  }
  expect.fail(`Tab does not come to ${selector}.`);
}

describeInBrowser('the page, by keyboard alone', (browser) => {
  it('searches, moves a slider, goes through the ranking, opens and closes a document', async () => {
    const page = await browser.open();
    await page.getByRole('searchbox', { name: 'Query' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('threats to honey bees');
    await page.keyboard.press('Enter');
    await finished(page);
    const before = await labels(page, 'final');

    await tabTo(page, '#beta');
    await page.keyboard.press('Home');
    expect(await labels(page, 'final')).toEqual(await labels(page, 'initial'));
    await page.keyboard.press('End');
    expect(await labels(page, 'final')).not.toEqual(await labels(page, 'initial'));

    // One stop for the whole list, arrow keys inside.
    await tabTo(page, '.column.final li button');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    const chosen = await focused(page).locator('.label').textContent();
    expect(chosen).toBe((await labels(page, 'final'))[2]);
    await page.keyboard.press('Enter');
    await page.getByRole('article').waitFor();
    expect(await focused(page).textContent()).toBe(chosen);
    await page.keyboard.press('Escape');
    await page.getByRole('article').waitFor({ state: 'detached' });
    await expect.poll(() => focused(page).locator('.label').textContent()).toBe(chosen);
    expect(before).toHaveLength(12);
  });

  it('chooses a variant', async () => {
    const page = await browser.open();
    await tabTo(page, '.picker-button');
    await page.keyboard.press('Enter');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect(await focused(page).textContent()).toContain('BERT-Tiny');
    expect(await page.getByRole('group', { name: /Models of the three phases/ }).isVisible()).toBe(false);
  });
});

describeInBrowser('the page, on a phone', (browser) => {
  it('shows one state of the ranking at a time, with how far documents moved', async () => {
    const page = await browser.open(query, phone);
    await finished(page);
    expect(await page.locator('.column.final').isVisible()).toBe(true);
    expect(await page.locator('.column.initial').isVisible()).toBe(false);
    expect(await page.locator('.links').first().isVisible()).toBe(false);
    expect(await page.locator('.column.final .moved').first().isVisible()).toBe(true);
    await page.getByRole('radio', { name: 'Initial' }).check();
    expect(await page.locator('.column.initial').isVisible()).toBe(true);
    expect(await page.locator('.column.final').isVisible()).toBe(false);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  });

  it('opens a document over the page; back closes it', async () => {
    const page = await browser.open(query, phone);
    await finished(page);
    await page.locator('.column.final li button').nth(1).tap();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('article').waitFor();
    expect(await dialog.evaluate('(element) => element.scrollWidth')).toBeLessThanOrEqual(390);
    await page.goBack();
    await dialog.waitFor({ state: 'detached' });
    await page.locator('.column.final li button').nth(2).tap();
    await dialog.getByRole('button', { name: 'Close the document' }).tap();
    await dialog.waitFor({ state: 'detached' });
  });
});

describeInBrowser('axe', (browser) => {
  const views: [string, string, (page: Page) => Promise<unknown>][] = [
    ['the empty page', '/', (page) => page.locator('.examples').waitFor()],
    ['a ranking', query, finished],
    [
      'an opened document',
      query,
      async (page) => {
        await finished(page);
        await page.locator('.chunks li button').first().click();
        await page.getByRole('article').waitFor();
      },
    ],
    [
      'the variants',
      '/',
      async (page) => {
        await page.getByRole('button', { name: /BERT-QE-TTT/ }).click();
        await page.locator('.variant').first().waitFor();
      },
    ],
    ['pasted documents', '/?source=pasted', (page) => page.locator('textarea').waitFor()],
    ['an error', '/?q=bees&model=nope', (page) => page.locator('.notice').waitFor()],
    ['experiments', '/?view=experiments', (page) => page.locator('iframe').waitFor()],
  ];
  const looks = [
    ['light', { colorScheme: 'light' }],
    ['dark', { colorScheme: 'dark' }],
    ['light on a phone', { colorScheme: 'light', viewport: { width: 390, height: 844 } }],
  ] as const;
  for (const [view, path, ready] of views) {
    it.each(looks)(`finds nothing serious in ${view}, %s`, async (_, look) => {
      const page = await browser.open(path, look);
      await ready(page);
      expect(await seriousProblems(page)).toEqual([]);
    });
  }
});
