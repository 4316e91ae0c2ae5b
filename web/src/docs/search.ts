import { fetchSite, loadLibrary, site, type MemoryIndex } from '../local/library.js';
import { scorerOf } from '../local/models.js';
import '../local/offline.js';
import type { SiteContent } from '../local/site.js';
import { termMatcher } from '../model/terms.js';

/**
 * The search of the documentation: the package itself in the reader's browser. While a question is typed, DPH finds
 * sections at once; then BERT-QE re-ranks them and shows the passage that answers.
 */
const form = document.querySelector<HTMLFormElement>('#search')!;
const input = document.querySelector<HTMLInputElement>('#question')!;
const panel = document.querySelector<HTMLElement>('#found')!;

// Where the list of pages stands above the page, it is closed at first; beside it, this page is in sight.
const pages = document.querySelector('nav')!;
const here = pages.querySelector<HTMLElement>('[aria-current]');
if (matchMedia('(max-width: 52rem)').matches) pages.querySelector('details')!.removeAttribute('open');
else if (here) pages.scrollTop = here.offsetTop - pages.offsetTop - pages.clientHeight / 4;

const shown = 8;
/** Characters of a passage that are shown. */
const longest = 320;
const reranked = 20;
/** Milliseconds without a key after which the models begin. */
const pause = 350;

let opened: Promise<{ index: MemoryIndex; content: SiteContent }> | undefined;
let running = new AbortController();

function open() {
  opened ??= (async () => {
    const { MemoryIndex } = await loadLibrary();
    const [file, content] = await Promise.all([fetchSite('docs.index'), fetchSite('site.json')]);
    return {
      index: await MemoryIndex.fromFile(await file.arrayBuffer()),
      content: (await content.json()) as SiteContent,
    };
  })();
  return opened;
}

interface Found {
  readonly id: string;
  readonly title: string;
  readonly passage: string;
}

function show(question: string, found: readonly Found[], status: string): void {
  panel.hidden = false;
  const heading = document.createElement('h2');
  heading.textContent = `Sections for “${question}”`;
  const note = document.createElement('p');
  note.role = 'status';
  note.textContent = found.length === 0 ? 'No section has a word of this question.' : status;
  const list = document.createElement('ol');
  const isAsked = termMatcher([question]);
  for (const { id, title, passage } of found) {
    const item = document.createElement('li');
    const link = document.createElement('a');
    link.href = new URL(id, site).href;
    link.textContent = title;
    const text = document.createElement('p');
    text.append(...marked(passage, isAsked));
    item.append(link, text);
    list.append(item);
  }
  panel.replaceChildren(heading, note, list);
}

/** The words of a passage up to a length, with those of the question marked. */
function marked(passage: string, isAsked: (word: string) => boolean): (string | Node)[] {
  const cut = passage.length > longest ? `${passage.slice(0, passage.lastIndexOf(' ', longest))} …` : passage;
  return cut.split(/([\p{L}\p{N}]+)/u).map((part) => {
    if (!isAsked(part)) return part;
    const mark = document.createElement('mark');
    mark.textContent = part;
    return mark;
  });
}

async function search(question: string): Promise<void> {
  running.abort();
  running = new AbortController();
  const { signal } = running;
  if (question === '') {
    panel.hidden = true;
    return;
  }
  try {
    const { BertQE, DivergenceFeedback, KL, Searcher } = await loadLibrary();
    const { index, content } = await open();
    const searcher = new Searcher(index, { feedback: new DivergenceFeedback(KL) });
    const ranking = await searcher.search({ id: 'question', text: question }, { depth: reranked, signal });
    const documents = await index.get(ranking.map(({ id }) => id));
    const first = ranking.map(({ id, score }) => ({
      ...documents.get(id)!,
      title: documents.get(id)!.title!,
      score,
    }));
    if (signal.aborted) return;
    show(
      question,
      first.slice(0, shown).map(({ text, ...one }) => ({ ...one, passage: text })),
      'By words',
    );
    await new Promise((resolve) => setTimeout(resolve, pause));
    if (signal.aborted || first.length === 0) return;
    const note = (text: string): void => {
      if (!signal.aborted) panel.querySelector('[role=status]')!.textContent = text;
    };
    const bertQe = new BertQE({ phaseOne: await scorerOf('tiny', content.integrity, note) });
    const { results, explanation, cost } = await bertQe.rerank(question, first, { explain: true, signal });
    // Whoever has gone to a result keeps it.
    if (signal.aborted || panel.contains(document.activeElement)) return;
    const passages = new Map(explanation!.documents.map(({ id, passage }) => [id, passage]));
    show(
      question,
      results.slice(0, shown).map(({ id }) => {
        const { title, text } = documents.get(id)! as { title: string; text: string };
        // Passages begin with the title of their document.
        const passage = (passages.get(id) ?? text).replace(title, '').trim();
        return { id, title, passage: text.startsWith(passage) ? passage : `… ${passage}` };
      }),
      `Re-ranked in this page: ${cost.pairs} pairs of texts in ${cost.seconds.toFixed(1)} s`,
    );
  } catch (error) {
    if (signal.aborted) return;
    const reason = error instanceof Error ? error.message : String(error);
    panel.querySelector('[role=status]')?.replaceChildren(`The search stopped: ${reason}`);
  }
}

input.addEventListener('input', () => void search(input.value.trim()));
form.addEventListener('submit', (event) => {
  event.preventDefault();
  links()[0]?.focus();
});
input.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape') return;
  input.value = '';
  void search('');
});
// The results lie behind the list of pages: arrows lead to them, and back to the question.
document.addEventListener('keydown', (event) => {
  const steps = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const stops: HTMLElement[] = [input, ...links()];
  const at = stops.indexOf(document.activeElement as HTMLElement);
  if (steps === undefined || at === -1 || stops.length === 1) return;
  event.preventDefault();
  stops[Math.max(0, Math.min(at + steps, stops.length - 1))].focus();
});

function links(): HTMLElement[] {
  return [...panel.querySelectorAll<HTMLElement>('li a')];
}
