import { decodeEntities } from './entities.js';
import type { PageText } from './html.js';
import { collapse } from './text-collector.js';

/**
 * Extracts title and text from Markdown, in linear time; never throws. The title is that of the front matter, or the
 * first heading. Marks, tags, comments and the addresses of links and images are left out; code stays.
 */
export async function markdownToText(markdown: string): Promise<PageText> {
  const { title: declared, body } = await readFrontMatter(markdown);
  const lines: string[] = [];
  let heading: { readonly text: string; readonly line: number } | undefined;
  /** The mark that closes the open block of code. */
  let fence = '';
  let inComment = false;
  for (const raw of body.split(/\r?\n/)) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(raw)?.[1];
    if (fence !== '') {
      if (mark?.startsWith(fence) && raw.trim() === mark) fence = '';
      else lines.push(collapse(raw));
      continue;
    }
    if (mark !== undefined && !inComment) {
      fence = mark;
      continue;
    }
    const { text, isOpen } = withoutComments(raw, inComment);
    inComment = isOpen;
    const underlined = /^ {0,3}(?:=+|-{3,})\s*$/.test(text);
    const previous = lines.at(-1) ?? '';
    // A line of = or - below text makes a heading of it; elsewhere it is a rule.
    if (underlined) {
      if (previous !== '') heading ??= { text: previous, line: lines.length - 1 };
      continue;
    }
    const plain = collapse(
      inline(text.replace(/^[\s>]*(?:#{1,6}(?=\s|$)|[*+-](?=\s)|\d{1,9}[.)](?=\s))?/, '')),
    );
    if (heading === undefined && plain !== '' && /^ {0,3}#{1,6}\s/.test(text)) {
      heading = { text: plain.replace(/\s*#+$/, ''), line: lines.length };
    }
    lines.push(plain);
  }
  const title = declared || (heading?.text ?? '');
  // The title is indexed with the text; its heading would be there twice.
  if (heading !== undefined && heading.text === title) lines[heading.line] = '';
  return { title, text: lines.filter(Boolean).join('\n') };
}

/** The title of YAML (`---`) or TOML (`+++`) at the start, and what follows it. */
async function readFrontMatter(markdown: string): Promise<{ title: string; body: string }> {
  const [opening] = /^(?:---|\+\+\+)[ \t]*\r?\n/.exec(markdown) ?? [];
  if (opening === undefined) return { title: '', body: markdown };
  const mark = opening.slice(0, 3);
  // Front matter may be empty: its end is searched for from the line end before its first line.
  const end = markdown.indexOf(`\n${mark}`, opening.length - 1);
  const after = /^[ \t]*(?:\r?\n|$)/.exec(markdown.slice(end + 4, end + 200));
  if (end === -1 || after === null) return { title: '', body: markdown };
  const matter = markdown.slice(opening.length, Math.max(end, opening.length));
  const title = mark === '---' ? await yamlTitle(matter) : tomlTitle(matter);
  return { title: collapse(title), body: markdown.slice(end + 4) };
}

async function yamlTitle(matter: string): Promise<string> {
  const [found, value = '', further] = /^title:[ \t]*(.*)(\r?\n[ \t]+\S)?/m.exec(matter) ?? [];
  if (found === undefined) return '';
  const line = value.trim();
  // Most titles are plain words; a parser takes as long as all the rest of the page.
  if (further === undefined && /^[\p{L}\p{N}][^#:\\]*$/u.test(line) && !/^(?:null|true|false)$/i.test(line))
    return line;
  const { parse } = await import('yaml');
  try {
    const { title } = (parse(matter, { logLevel: 'silent' }) ?? {}) as { title?: unknown };
    return typeof title === 'string' || typeof title === 'number' ? String(title) : '';
  } catch {
    // Not YAML: the first heading is the title.
    return '';
  }
}

function tomlTitle(matter: string): string {
  const [, quoted, literal] = /^title\s*=\s*(?:"((?:[^"\\\n]|\\.)*)"|'([^'\n]*)')/m.exec(matter) ?? [];
  return quoted?.replaceAll(/\\(.)/g, '$1') ?? literal ?? '';
}

/** A line without `<!-- comments -->`, which may go on over several lines. */
function withoutComments(line: string, inComment: boolean): { text: string; isOpen: boolean } {
  let text = '';
  let rest = line;
  for (let isOpen = inComment; ; isOpen = !isOpen) {
    const at = rest.indexOf(isOpen ? '-->' : '<!--');
    if (!isOpen) text += at === -1 ? rest : `${rest.slice(0, at)} `;
    if (at === -1) return { text, isOpen };
    rest = rest.slice(at + (isOpen ? 3 : 4));
  }
}

/** The words of a line; code between backticks is kept as it is. */
function inline(line: string): string {
  // The definition of a link, or the line between a table's head and its body.
  if (/^\s*\[[^\]]{1,200}\]:\s/.test(line) || (line.includes('-') && /^[\s|:-]+$/.test(line))) return '';
  if (/^[\w\s.,;:'"?!()-]*$/.test(line) && !/_/.test(line)) return line;
  return line
    .split(/(`[^`]+`)/)
    .map((part) => (part.length > 2 && part.startsWith('`') ? part.slice(1, -1) : prose(part)))
    .join('');
}

/** `![text](address "title")` or `![text][name]`, and the same without `!`. The bounds keep the time linear. */
const image = /!\[([^[\]]{0,1000})\](?:\([^()\s]{0,2000}(?:\s[^()]{0,500})?\)|\[[^\]]{0,200}\])/g;
const link = /\[([^[\]]{0,1000})\](?:\([^()\s]{0,2000}(?:\s[^()]{0,500})?\)|\[[^\]]{0,200}\])?/g;

/** The words of text without code. */
function prose(text: string): string {
  const words = text
    // Images may stand inside links.
    .replaceAll(image, '$1')
    .replaceAll(link, '$1')
    .replaceAll(/<\/?[a-z][^<>]{0,2000}>/gi, ' ')
    .replaceAll(/(?<!\\)\*{1,3}|~~|(?<![\p{L}\p{N}])_{1,3}|_{1,3}(?![\p{L}\p{N}])/gu, '')
    .replaceAll('|', ' ')
    .replaceAll(/\\([!-/:-@[-`{-~])/g, '$1');
  return decodeEntities(words);
}
