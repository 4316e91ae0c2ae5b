import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { anchorsOf } from '../markdown-links.js';

/** Documents outside of docs/ that pages link to. */
const outside = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'examples/README.md',
  'demo/README.md',
];

/** A page of the documentation. */
export interface Page {
  /** Its source, relative to the repository. */
  readonly file: string;
  /** Its address, relative to the site. */
  readonly url: string;
  readonly title: string;
  /** The part of docs/README.md that links it. */
  readonly group: string;
  readonly text: string;
}

/** A part of a page under one heading, as the search knows it. */
export interface Section {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

/** The pages in the groups and the order in which docs/README.md links them; those that it does not link follow. */
export function readPages(root: string, files: readonly string[]): Page[] {
  const all = [...files, ...outside.filter((file) => existsSync(join(root, file)))];
  const start = readFileSync(join(root, 'docs/README.md'), 'utf8');
  const groups = new Map<string, string>([['docs/README.md', '']]);
  let group = '';
  for (const [, lead, path] of start.matchAll(/^\*\*(\w+)|\]\(([^)#]+\.md)/gm)) {
    group = lead ?? group;
    if (path) groups.set(posix.join('docs', path), path.startsWith('api/') ? 'API' : group);
  }
  for (const file of all) {
    if (!groups.has(file)) groups.set(file, file.startsWith('docs/api/') ? 'API' : group);
  }
  const order = [...new Set(groups.values())].flatMap((name) =>
    [...groups].filter(([, of]) => of === name).map(([file]) => file),
  );
  return order
    .filter((file) => all.includes(file))
    .map((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      const title = /^# (.+)$/m.exec(text)?.[1].replaceAll('`', '') ?? file;
      return { file, url: urlOf(file), title, group: groups.get(file)!, text };
    });
}

/** The address of a document's page: a README is the page of its folder; the repository's own is no folder's. */
function urlOf(file: string): string {
  if (file === 'README.md') return 'readme.html';
  return file.replace(/README\.md$/, 'index.html').replace(/\.md$/, '.html');
}

/** The page of the site that a link of a page leads to. */
export function pageOf(target: string, from: Page, pages: readonly Page[]): Page | undefined {
  const file = posix.join(dirname(from.file), target.split('#')[0]);
  return pages.find((page) => page.file === file || page.file === posix.join(file, 'README.md'));
}

/** The address on the site that a link of a page leads to; undefined where its target is not there. */
export function linkOf(
  target: string,
  from: Page,
  pages: readonly Page[],
  assets: Set<string>,
  root: string,
) {
  if (/^(?:[a-z]+:|#)/i.test(target)) return target;
  const [path, anchor] = target.split('#');
  const file = posix.join(dirname(from.file), path);
  const anchored = anchor === undefined ? '' : `#${anchor}`;
  const page = pageOf(target, from, pages);
  const toTop = posix.relative(dirname(from.url), '.') || '.';
  if (page) return posix.join(toTop, page.url) + anchored;
  if (!/^(?:docs|examples)\//.test(file) || !/\.\w+$/.test(file) || !existsSync(join(root, file)))
    return undefined;
  assets.add(file);
  return posix.join(toTop, file);
}

/** A heading of a page below its title. */
export interface Heading {
  readonly anchor: string;
  readonly title: string;
}

/** The headings of a page that lead through it: those of the highest level of which there are several. */
export function contentsOf({ text }: Page): Heading[] {
  const anchors = anchorsOf(text);
  const all = [...text.replace(/^```[\s\S]*?^```/gm, '').matchAll(/^(#+) (.+)$/gm)].map(
    ([, marks, title], i) => ({ level: marks.length, title: plain(title), anchor: anchors[i] }),
  );
  const levels = [2, 3].map((level) => all.filter((heading) => heading.level === level));
  return levels.find((headings) => headings.length > 1) ?? [];
}

/** The sections of a page, with their text as it is read: without marks of Markdown. */
export function sectionsOf({ url, title, text }: Page): Section[] {
  const anchors = anchorsOf(text);
  const sections: { id: string; title: string; lines: string[] }[] = [];
  let inCode = false;
  let heading = 0;
  for (const line of text.replace(/<!--[\s\S]*?-->/g, '').split('\n')) {
    if (line.startsWith('```')) {
      inCode = !inCode;
      continue;
    }
    const found = inCode ? null : /^(#+) (.+)$/.exec(line);
    if (!found) {
      sections.at(-1)?.lines.push(inCode ? line.replace(/\/\*\*? ?|\*\/|^ *\*(?= )|`/g, '') : plain(line));
      continue;
    }
    const name = plain(found[2]);
    const isPage = found[1].length === 1;
    const id = `${url}#${anchors[heading++]}`;
    sections.push({ id, title: isPage ? name : `${title}: ${name}`, lines: [] });
  }
  return sections
    .map(({ id, title, lines }) => ({ id, title, text: lines.join(' ').replace(/\s+/g, ' ').trim() }))
    .filter(({ text }) => text !== '');
}

/** A line of Markdown as it is read. */
function plain(line: string): string {
  return line
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^[|:\- ]+$/, '')
    .replace(/^ *(?:>|[-*] )/, '')
    .replace(/(?<!\\)\||\\(?=\|)/g, ' ')
    .replace(/\*\*|`/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}
