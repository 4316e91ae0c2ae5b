import { decodeEntities } from './entities.js';
import { MarkupScanner } from './markup.js';
import { TextCollector } from './text-collector.js';

/**
 * The elements of a TREC document that an index reads. `text`: title and text, as the models read them. `terrier`: all of
 * the document but its `<DOCNO>`, as Terrier's own reader has it. `anserini`: the elements that Anserini's reader takes.
 */
export const elementChoices = ['text', 'terrier', 'anserini'] as const;
export type ElementChoice = (typeof elementChoices)[number];

/** The text that an index reads instead of title and text; undefined where it reads these. */
export function searchedText(content: Buffer, choice: ElementChoice): string | undefined {
  if (choice === 'text') return undefined;
  // Both read UTF-8, whatever the file's encoding is; other bytes separate words.
  const source = content.toString('utf8');
  return choice === 'terrier' ? terrierText(source) : anseriniText(source);
}

/**
 * The text that Terrier's `TaggedDocument` gives to its tokeniser. A tag reaches from any `<` to the next `<` or `>`, and
 * a character reference from any `&` to the next blank, `;`, `<` or `>`; both separate words, and a reference stands for nothing.
 */
function terrierText(source: string): string {
  const docno = /<docno>[^<]*<\/docno>/i.exec(source);
  const text = docno === null ? source : source.slice(docno.index + docno[0].length);
  const parts: string[] = [];
  let at = 0;
  while (at < text.length) {
    const markup = indexOfAny(text, '<&', at);
    if (markup > at) parts.push(text.slice(at, markup));
    if (markup === text.length) break;
    if (text[markup] === '&') {
      const end = indexOfAny(text, '<> ;', markup + 1);
      at = text[end] === '<' ? end : end + 1;
    } else if (text.startsWith('<![', markup)) {
      at = Math.min(text.length, indexOfAny(text, '[', markup + 3) + 1);
    } else {
      // The first character of a declaration is skipped unseen.
      const from = text[markup + 1] === '!' ? markup + 3 : markup + 1;
      const end = indexOfAny(text, '<>', from);
      at = text[end] === '<' ? end : end + 1;
    }
  }
  return parts.join('\n');
}

/** Position of the first of some characters; the text's length where there is none. */
function indexOfAny(text: string, characters: string, from: number): number {
  for (let at = from; at < text.length; at++) if (characters.includes(text[at])) return at;
  return text.length;
}

/** The elements that Anserini's `TrecCollection` takes, each of which must begin a line. */
const taken = ['TEXT', 'HEADLINE', 'TITLE', 'HL', 'HEAD', 'TTL', 'DD', 'DATE', 'LP', 'LEADPARA'];

/** The lines that Anserini's `TrecCollection` takes, and their text as an HTML parser reads it. */
function anseriniText(source: string): string {
  const lines = source.split(/\r\n|\r|\n/);
  const first = lines.findIndex((line) => line.includes('</DOCNO>'));
  const kept: string[] = [lines[first]?.replace(/^.*<\/DOCNO>/, '') ?? ''];
  let inside: string | undefined;
  for (const line of lines.slice(first + 1).map((each) => each.trim())) {
    if (inside !== undefined && line.startsWith(`</${inside}>`)) {
      kept.push(line);
      inside = undefined;
      continue;
    }
    inside ??= taken.find((name) => line.startsWith(`<${name}>`));
    if (inside === undefined) continue;
    kept.push(line);
    if (line.endsWith(`</${inside}>`)) inside = undefined;
  }
  return textOfHtml(kept.join('\n'));
}

/** HTML's elements that separate words; the others, unknown ones too, do not. */
const blocks = new Set(
  (
    'html head body frameset script noscript style meta link title frame noframes section nav aside hgroup header footer ' +
    'p h1 h2 h3 h4 h5 h6 br ul ol pre div blockquote hr address figure figcaption form fieldset ins del dl dt dd li table ' +
    'caption thead tfoot tbody colgroup col tr th td video audio canvas details menu plaintext template article main svg ' +
    'math center dir applet marquee listing'
  ).split(' '),
);

/** Names that our table of character references has and HTML has not. */
const notInHtml = /&hyph;/g;

function textOfHtml(html: string): string {
  const scanner = new MarkupScanner(html);
  const text = new TextCollector();
  for (let token = scanner.next(); token !== 'end'; token = scanner.next()) {
    if (token === 'text') {
      text.add(decodeEntities(scanner.text.replaceAll(notInHtml, '&amp;hyph;')));
    } else if (blocks.has(scanner.name)) {
      text.separate();
      if (token === 'open' && (scanner.name === 'script' || scanner.name === 'style')) scanner.readRaw();
    }
  }
  return text.take();
}
