import { decodeEntities } from './entities.js';
import { MarkupScanner } from './markup.js';
import { collapse, TextCollector } from './text-collector.js';

export interface PageText {
  /** Text of the first `<title>` with words in it; empty where there is none. */
  readonly title: string;
  /** The visible text, one line per block, without the title. */
  readonly text: string;
}

/** Inline elements: their tags do not separate words (`<b>H</b>ello`). */
const inlineElements = new Set(
  (
    'a abbr acronym b basefont bdo big blink cite code del dfn em font i ins kbd mark nobr q s samp small span ' +
    'strike strong sub sup tt u var wbr'
  ).split(' '),
);

/** Elements whose content is program text, not words. */
const unreadElements = new Set(['script', 'style']);

/** Extracts title and text from HTML, however broken, in linear time; never throws. */
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
      // As in browsers, a script that is never closed extends to the end of the page.
      if (scanner.readRaw() === undefined) scanner.skipRest();
    } else if (name === 'title') {
      // Tags inside a title are text; a title that is never closed ends at the next tag.
      const raw = scanner.readRaw() ?? (scanner.next() === 'text' ? scanner.text : '');
      title ||= collapse(decodeEntities(raw));
    }
  }
  return { title, text: text.take() };
}
