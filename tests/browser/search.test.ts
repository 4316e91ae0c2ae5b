import { expect, it } from 'vitest';
import { describeInBrowser, finished, labels } from './support.js';

const query = '/?q=staying+alert+at+night';

describeInBrowser('the page', (browser) => {
  it('goes from an example to three rankings, and back', async () => {
    const page = await browser.open();
    await page.getByRole('button', { name: /staying alert at night/ }).click();
    // The phases report while they run, and the initial ranking does not wait for them.
    await page.locator('.column.initial li button').first().waitFor();
    await finished(page);
    expect(page.url()).toBe(`${browser.url}${query}`);
    expect(await page.title()).toBe('staying alert at night – bert-qe');
    const [initial, phase1, final] = await Promise.all(
      (['initial', 'phase1', 'final'] as const).map((stage) => labels(page, stage)),
    );
    expect(initial).toHaveLength(12);
    expect(phase1).not.toEqual(initial);
    expect(final.toSorted()).toEqual(initial.toSorted());
    // A line for every document, between every two columns.
    expect(await page.locator('.links path').count()).toBe(24);
    expect(await page.locator('.chunks li mark').count()).toBe(3);
    expect(await page.locator('.station.done').count()).toBe(5);
    await page.goBack();
    await page.getByRole('heading', { name: 'Watch a query learn from its best answers' }).waitFor();
    // The answer is remembered: going forward needs no models.
    await page.goForward();
    await finished(page);
    expect(await labels(page, 'final')).toEqual(final);
  });

  it('shows where a search is while its phases run, and can stop it', async () => {
    const page = await browser.open();
    // A stream that never comes to its end, cut where phase two begins.
    const events = [
      'event: initial\ndata: {"firstStage":"DPH+KL","results":[{"id":"a","initialRank":1,"initialScore":1,"title":"A hive"}]}',
      'event: progress\ndata: {"phase":"phaseOne","pairs":20,"total":20}',
      'event: progress\ndata: {"phase":"phaseTwo","pairs":64,"total":256}',
    ];
    await page.evaluate(`{
      const real = window.fetch;
      window.fetch = (path, init) => path !== 'search' ? real(path, init) : Promise.resolve(new Response(
        new ReadableStream({ start(to) {
          to.enqueue(new TextEncoder().encode(${JSON.stringify(`${events.join('\n\n')}\n\n`)}));
          init.signal.addEventListener('abort', () => { window.stopped = true; to.error(new Error('stopped')); });
        } }), { headers: { 'Content-Type': 'text/event-stream' } }));
    }`);
    await page.getByRole('searchbox', { name: 'Query' }).fill('bees');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.getByText('64 / 256 pairs').waitFor();
    expect(await page.locator('.station.running b').textContent()).toBe('Phase two');
    expect(await page.locator('.station.phaseTwo .track i').getAttribute('style')).toContain('scaleX(0.25)');
    expect(await page.locator('.station.phaseThree').getAttribute('class')).toContain('waiting');
    expect(await labels(page, 'initial')).toEqual(['A hive']);
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('heading', { name: 'Stopped' }).waitFor();
    expect(await page.evaluate('window.stopped')).toBe(true);
  });

  it('ranks again when a slider moves, without asking the server', async () => {
    const page = await browser.open(query);
    await finished(page);
    const before = await labels(page, 'final');
    const measured = await page.locator('.column.final .measures').textContent();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    const beta = page.getByRole('slider', { name: /models’ share/ });
    await beta.fill('0');
    // β = 0 is the initial ranking.
    expect(await labels(page, 'final')).toEqual(await labels(page, 'initial'));
    expect(await labels(page, 'final')).not.toEqual(before);
    expect(await page.locator('.column.final .measures').textContent()).not.toBe(measured);
    await beta.fill('1');
    await page.getByRole('slider', { name: /chunks’ share/ }).fill('0');
    // α = 0 and β = 1 is phase one.
    expect(await labels(page, 'final')).toEqual(await labels(page, 'phase1'));
    expect(asked).toEqual([]);
    await page.waitForURL(/alpha=0&beta=1$/);
    await page.getByRole('button', { name: 'Reset' }).click();
    expect(await labels(page, 'final')).toEqual(before);
  });

  it('opens a document: passage, chunks, contributions; a link opens it again', async () => {
    const page = await browser.open(query);
    await finished(page);
    const chunk = page.locator('.chunks li button').first();
    const text = await chunk.locator('mark').textContent();
    await chunk.click();
    const article = page.getByRole('article');
    await article.waitFor();
    const marked = await article.locator('mark.selected').allTextContents();
    expect(marked.join('')).toContain(text);
    expect(await article.locator('.contributions li').count()).toBe(4);
    const link = page.url();
    expect(link).toContain('doc=');
    const title = await article.getByRole('heading').first().textContent();
    await page.goBack();
    await article.waitFor({ state: 'detached' });
    const other = await browser.open(link.slice(browser.url.length));
    expect(await other.getByRole('article').getByRole('heading').first().textContent()).toBe(title);
  });

  it('adds up to M whatever the sliders say', async () => {
    const page = await browser.open(`${query}&alpha=0.35&beta=0.5`);
    await finished(page);
    await page.locator('.column.final li button').nth(2).click();
    const [shown] = (await page.locator('#contributions-title').textContent())!.match(/0\.\d+/)!;
    const scores = await page.locator('.contributions span.value').allTextContents();
    const sum = scores.map((score) => Number(/[\d.]+$/.exec(score)![0])).reduce((a, b) => a + b, 0);
    // Eleven numbers of three decimals each.
    expect(Math.abs(sum - Number(shown))).toBeLessThan(11 * 0.0005 + 1e-9);
    await page.getByRole('slider', { name: /chunks’ share/ }).fill('1');
    expect(await page.locator('.contributions .query .value').last().textContent()).toContain('0.000');
  });

  it('offers variants with what they cost', async () => {
    const page = await browser.open(query);
    await finished(page);
    await page.getByRole('button', { name: /BERT-QE-TTT/ }).click();
    const tiny = page.locator('.variant', { hasText: 'BERT-Tiny' });
    expect(await tiny.textContent()).toContain('FLOPs a query');
    await expect.poll(() => page.locator('.variant').first().textContent()).toMatch(/the mean of \d+ search/);
    await tiny.click();
    await page.getByText('This variant re-ranks with the query alone').waitFor();
    expect(page.url()).toContain('model=tiny');
    expect(await page.getByRole('slider', { name: /chunks’ share/ }).isDisabled()).toBe(true);
    await page.goBack();
    await page.locator('.chunks li').first().waitFor();
  });

  it('ranks documents that are pasted', async () => {
    const page = await browser.open();
    await page.getByRole('radio', { name: 'Your own documents' }).check();
    await page
      .getByRole('textbox', { name: /One per line/ })
      .fill('Bees make honey.\nA bridge.\nHives of bees.');
    await page.getByRole('searchbox', { name: 'Query' }).fill('honey bees');
    await page.keyboard.press('Enter');
    await finished(page);
    expect(await labels(page, 'initial')).toEqual(['Bees make honey.', 'A bridge.', 'Hives of bees.']);
    expect(await page.getByRole('slider', { name: /models’ share/ }).isDisabled()).toBe(true);
  });

  it('moves nothing while one types', async () => {
    const page = await browser.open(query);
    await finished(page);
    const box = async () => JSON.stringify(await page.locator('.ranking').boundingBox());
    const before = await box();
    await page.getByRole('searchbox', { name: 'Query' }).fill('');
    await page.keyboard.type('something else entirely');
    expect(await box()).toBe(before);
  });
});
