import { decodeEntities } from './entities.js';
import { MarkupScanner } from './markup.js';
import { collapse, TextCollector } from './text-collector.js';

export interface PageText {
  /** Of the first `<title>` with words in it; empty where there is none. */
  readonly title: string;
  /** What a reader of the page sees, one line per block; the title is not repeated in it. */
  readonly text: string;
}

/** Elements that stand inside a line of text: their tags do not part words (`<b>H</b>ello`). */
const inlineElements = new Set(
  (
    'a abbr acronym b basefont bdo big blink cite code del dfn em font i ins kbd mark nobr q s samp small span ' +
    'strike strong sub sup tt u var wbr'
  ).split(' '),
);

/** Elements whose content is program text, not words. */
const unreadElements = new Set(['script', 'style']);

/** Extracts title and text from HTML of any brokenness, in linear time; never throws. */
export function htmlToText(html: string): PageText {
  const scanner = new MarkupScanner(html);
  const text = new TextCollector();
  let title = '';
  for (let token = scanner.next(); token !== 'end'; token = scanner.next()) {
    if (token === 'text') {
      text.add(decodeEntities(scanner.text));
      continue;
    }
    const { name } = scanner;
    if (!inlineElements.has(name)) text.separate();
    if (token !== 'open') continue;
    if (unreadElements.has(name)) {
      // As in browsers: a script that is never closed goes on to the end of the page.
      if (scanner.readRaw() === undefined) scanner.skipRest();
    } else if (name === 'title') {
      // Tags are no markup inside a title; one that is never closed ends at the next tag instead.
      const raw = scanner.readRaw() ?? (scanner.next() === 'text' ? scanner.text : '');
      title ||= collapse(decodeEntities(raw));
    }
  }
  return { title, text: text.take() };
}
