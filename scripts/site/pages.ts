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
  readonly text: string;
}

/** A part of a page under one heading, as the search knows it. */
export interface Section {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

/** The pages, in the order in which docs/README.md links them; those that it does not link follow. */
export function readPages(root: string, files: readonly string[]): Page[] {
  const all = [...files, ...outside.filter((file) => existsSync(join(root, file)))];
  const start = readFileSync(join(root, 'docs/README.md'), 'utf8');
  const linked = [...start.matchAll(/\]\(([^)#]+\.md)/g)].map(([, path]) => posix.join('docs', path));
  const order = ['docs/README.md', ...linked, ...all];
  return [...new Set(order)]
    .filter((file) => all.includes(file))
    .map((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      const title = /^# (.+)$/m.exec(text)?.[1].replaceAll('`', '') ?? file;
      return { file, url: urlOf(file), title, text };
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

/** The sections of a page, with their text as it is read: without marks of Markdown. */
export function sectionsOf({ url, title, text }: Page): Section[] {
  const anchors = anchorsOf(text);
  const sections: { id: string; title: string; lines: string[] }[] = [];
  let inCode = false;
  let heading = 0;
  for (const line of text.replace(/<!--[\s\S]*?-->/g, '').split('\n')) {
    if (line.startsWith('```')) inCode = !inCode;
    const found = inCode ? null : /^(#+) (.+)$/.exec(line);
    if (!found) {
      sections.at(-1)?.lines.push(line);
      continue;
    }
    const name = plain(found[2]);
    const isPage = found[1].length === 1;
    const id = `${url}#${anchors[heading++]}`;
    sections.push({ id, title: isPage ? name : `${title}: ${name}`, lines: [] });
  }
  return sections
    .map(({ id, title, lines }) => ({ id, title, text: plain(lines.join('\n')) }))
    .filter(({ text }) => text !== '');
}

function plain(markdown: string): string {
  return markdown
    .replace(/^```.*$/gm, '')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^[|:\- ]+$/gm, '')
    .replace(/[`*_|#>]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
