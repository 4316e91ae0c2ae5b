import { ownCopy } from '../common/utf16.js';
import { badInput } from './bad-input.js';
import type { ByteSource } from './byte-source.js';
import { decodeUndeclared } from './charset.js';
import { readDocElements } from './doc-elements.js';
import { decodeEntities } from './entities.js';
import { MarkupScanner } from './markup.js';
import { searchedText, type ElementChoice } from './searched-elements.js';
import { type SourcedDocument, sourcedDocument } from './sourced-document.js';
import { collapse, TextCollector } from './text-collector.js';
import type { Origin } from './types.js';

/**
 * Titles, best first: FBIS has `<TI>` (inside `<H3>`), the Financial Times and the LA Times `<HEADLINE>` (the
 * latter with `<P>` inside), other TREC disks the rest. The Federal Register has none.
 */
const titleElements = ['ti', 'headline', 'hl', 'head', 'ttl', 'title'];

/**
 * Reads TREC SGML as on disks 4 and 5: many `<DOC>`s per file, each with `<DOCNO>` and any number of `<TEXT>` elements.
 * Without a `<TEXT>`, the text outside of other elements counts, of which the four Robust04 sources have none.
 */
export async function* readTrec(
  source: ByteSource,
  { elements: choice = 'text' }: { readonly elements?: ElementChoice | undefined } = {},
): AsyncGenerator<SourcedDocument[]> {
  for await (const elements of readDocElements(source, 'anywhere')) {
    yield elements.map(({ bytes, line }) => {
      const document = parse(decodeUndeclared(bytes), { file: source.name, line });
      const searched = searchedText(bytes, choice);
      return searched === undefined ? document : { ...document, searched };
    });
  }
}

function parse(content: string, origin: Origin): SourcedDocument {
  const scanner = new MarkupScanner(content);
  const text = new TextCollector();
  const loose = new TextCollector();
  const titles = new Map<string, string>();
  const openTitle = new TextCollector();
  /** Names of the open elements, outermost first. */
  const open: string[] = [];
  let textDepth = 0;
  let titleElement: string | undefined;
  let hasText = false;
  let id: string | undefined;

  const leave = (name: string): void => {
    if (name === 'text') textDepth--;
    if (name === titleElement) {
      const found = collapse(openTitle.take());
      if (found !== '' && !titles.has(name)) titles.set(name, found);
      titleElement = undefined;
    }
  };

  for (let token = scanner.next(); token !== 'end'; token = scanner.next()) {
    const { name } = scanner;
    if (token === 'text') {
      const piece = decodeEntities(scanner.text, 'drop');
      if (textDepth > 0) text.add(piece);
      if (titleElement !== undefined) openTitle.add(piece);
      if (open.length === 0) loose.add(piece);
      continue;
    }
    text.separate();
    loose.separate();
    openTitle.separate();
    if (token === 'close') {
      // A closing tag ends all elements left open inside its own; without an opening tag it is ignored.
      const at = open.lastIndexOf(name);
      if (at !== -1) while (open.length > at) leave(open.pop()!);
    } else if (name === 'docno') {
      if (id !== undefined) throw twoDocnos(origin);
      id = collapse(scanner.readRaw() ?? '');
    } else {
      open.push(name);
      if (name === 'text') {
        // The body ends a title that was never closed.
        if (textDepth === 0 && titleElement !== undefined) leave(titleElement);
        textDepth++;
        hasText = true;
      } else if (titleElement === undefined && titleElements.includes(name)) {
        titleElement = name;
      }
    }
  }
  for (const name of open) leave(name);

  if (id === undefined) {
    throw badInput(
      origin,
      'the document that starts here has no <DOCNO>',
      'Give it one: <DOCNO> an-id </DOCNO> right after <DOC>.',
    );
  }
  const best = titleElements.find((name) => titles.has(name));
  const title = best === undefined ? undefined : titles.get(best);
  return sourcedDocument(ownCopy(id), title, (hasText ? text : loose).take(), origin);
}

function twoDocnos(origin: Origin): Error {
  return badInput(
    origin,
    'the document that starts here has two <DOCNO>s: a </DOC> is missing before the second',
    'End the first document with </DOC>.',
  );
}
