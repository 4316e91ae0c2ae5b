import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { describeInBrowser, finished, labels, seriousProblems } from './support.js';

const query = '/?q=threats+to+honey+bees';
const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

const focused = (page: Page) => page.locator(':focus');

/** Presses Tab until something of this description has the focus. */
async function tabTo(page: Page, selector: string): Promise<void> {
  const isThere = `document.activeElement.matches(${JSON.stringify(selector)})`;
  for (let i = 0; i < 40; i++) {
    await page.keyboard.press('Tab');
    if (await page.evaluate<boolean>(isThere)) return;
  }
  expect.fail(`Tab does not come to ${selector}.`);
}

describeInBrowser('the page', (browser) => {
  describe('by keyboard alone', () => {
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
      await page.locator('.picker-button').waitFor();
      await tabTo(page, '.picker-button');
      await page.keyboard.press('Enter');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await expect.poll(() => focused(page).textContent()).toContain('BERT-Tiny');
      expect(await page.getByRole('group', { name: /Models of the three phases/ }).isVisible()).toBe(false);
    });
  });

  describe('on a phone', () => {
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
      expect(await page.evaluate("document.querySelector('dialog').scrollWidth")).toBeLessThanOrEqual(390);
      await page.goBack();
      await dialog.waitFor({ state: 'detached' });
      await page.locator('.column.final li button').nth(2).tap();
      await dialog.getByRole('button', { name: 'Close the document' }).tap();
      await dialog.waitFor({ state: 'detached' });
    });
  });

  describe('to axe', () => {
    it.each([
      ['light', { colorScheme: 'light' }],
      ['dark', { colorScheme: 'dark' }],
      ['light on a phone', { colorScheme: 'light', viewport: phone.viewport }],
    ] as const)('finds nothing serious in any view, %s', async (_, look) => {
      const page = await browser.open('/', look);
      const problems: Record<string, string[]> = {};
      const check = async (view: string): Promise<void> => {
        problems[view] = await seriousProblems(page);
      };
      await page.locator('.examples').waitFor();
      await check('empty');
      await page.getByRole('button', { name: /BERT-QE-TTT/ }).click();
      await check('variants');
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: /threats to honey bees/ }).click();
      await finished(page);
      await check('ranking');
      await page.locator('.chunks li button').first().click();
      await page.getByRole('article').waitFor();
      await check('document');
      await page.goto(`${browser.url}/?source=pasted`);
      await page.locator('textarea').waitFor();
      await check('pasted');
      await page.goto(`${browser.url}/?q=bees&model=nope`);
      await page.locator('.notice').waitFor();
      await check('error');
      await page.goto(`${browser.url}/?view=experiments`);
      await page.locator('iframe').waitFor();
      await check('experiments');
      expect(problems).toEqual(Object.fromEntries(Object.keys(problems).map((view) => [view, []])));
    });
  });
});
